// Calls into foreign code.
#include "run/loaded_variant.h"

#include <rooftune/vendor_library.h>

#include <exception>
#include <new>

#include "build/artefact.h"
#include "core/error.h"

namespace rooftune::run {
namespace {

DynamicLibrary opened(const std::filesystem::path& library) {
  try {
    return DynamicLibrary(library);
  } catch (const Error& error) {
    throw VariantFault{Outcome::build_failed, "it cannot be loaded: " + error.message()};
  }
}

/// Outcome of the fault: a missing library is one that cannot be loaded, as above.
Outcome outcome_of(VendorFault::Kind kind) {
  switch (kind) {
    case VendorFault::Kind::missing:
      return Outcome::build_failed;
    case VendorFault::Kind::out_of_memory:
      return Outcome::out_of_memory;
    default:
      return Outcome::crashed;
  }
}

template <class Function>
void guarded(Function function, const std::vector<void*>& arguments, const char* name) {
  try {
    function(arguments.data());
  } catch (const VariantFault&) {
    // A device's own fault of a launch.
    throw;
  } catch (const VendorFault& fault) {
    throw VariantFault{outcome_of(fault.kind), fault.what()};
  } catch (const std::bad_alloc&) {
    throw VariantFault{Outcome::out_of_memory, std::string("std::bad_alloc in ") + name};
  } catch (const std::exception& fault) {
    throw VariantFault{Outcome::crashed,
                       std::string(name) + " threw an exception: " + fault.what()};
  } catch (...) {
    throw VariantFault{Outcome::crashed,
                       std::string(name) + " threw something that is no std::exception"};
  }
}

}  // namespace

LoadedVariant::LoadedVariant(const std::filesystem::path& library)
    : library_(opened(library)),
      call_(reinterpret_cast<Function>(library_.find(call_symbol))),
      prepare_(reinterpret_cast<Function>(library_.find(prepare_symbol))),
      finish_(reinterpret_cast<Function>(library_.find(finish_symbol))),
      attach_(reinterpret_cast<void (*)(CudaDevice*)>(library_.find(attach_symbol))) {
  if (!call_)
    throw VariantFault{Outcome::build_failed, "it exports no function " + std::string(call_symbol)};
}

void LoadedVariant::attach(CudaDevice* device) const {
  if (attach_) attach_(device);
}

void LoadedVariant::prepare(const std::vector<void*>& arguments) const {
  if (prepare_) guarded(prepare_, arguments, "prepare");
}

void LoadedVariant::call(const std::vector<void*>& arguments) const {
  guarded(call_, arguments, "the kernel");
}

void LoadedVariant::finish(const std::vector<void*>& arguments) const {
  if (finish_) guarded(finish_, arguments, "finish");
}

}  // namespace rooftune::run
