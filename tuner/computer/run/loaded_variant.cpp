// Calls into foreign code. libgomp is loaded first, on its own, and never unloaded: its workers
// live on after dlclose on the object it came with.
#include "run/loaded_variant.h"

#include <dlfcn.h>
#include <rooftune/vendor_library.h>

#include <algorithm>
#include <exception>
#include <new>

#include "build/artefact.h"
#include "build/shim.h"
#include "core/error.h"
#include "core/list.h"

namespace rooftune::run {
namespace {

DynamicLibrary opened(const fs::path& library) {
  try {
    return DynamicLibrary(library);
  } catch (const Error& error) {
    throw VariantFault{Outcome::build_failed, "it cannot be loaded: " + error.message()};
  }
}

/// How the fault ends a trial: a missing library cannot be loaded either, as above.
Outcome outcome_of(VendorFault::Kind kind) {
  // In the order of Kind.
  static constexpr Outcome outcomes[] = {Outcome::build_failed, Outcome::out_of_memory,
                                         Outcome::crashed};
  return outcomes[size_t(kind)];
}

template <class Function>
void guarded(Function function, const Arguments& arguments, const char* name) {
  try {
    function(arguments.data());
  } catch (const VariantFault&) {
    // A fault that the device itself found in a launch.
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

template <class Function>
void look_up(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

/// omp_sched_t, fixed by the OpenMP specification.
int schedule_kind(const std::string& name) {
  static constexpr const char* names[] = {"static", "dynamic", "guided", "auto"};
  return int(index_or_error(names, "OpenMP schedule", name)) + 1;
}

}  // namespace

LoadedVariant::LoadedVariant(const fs::path& library)
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

void LoadedVariant::prepare(const Arguments& arguments) const {
  if (prepare_) guarded(prepare_, arguments, "prepare");
}

void LoadedVariant::call(const Arguments& arguments) const {
  guarded(call_, arguments, "the kernel");
}

void LoadedVariant::finish(const Arguments& arguments) const {
  if (finish_) guarded(finish_, arguments, "finish");
}

OpenMpRuntime::OpenMpRuntime(const Texts& names) {
  void* library = nullptr;
  for (const std::string& name : names)
    if (!library) library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
  if (!library) return;
  look_up(library, "GOMP_parallel", fork_);
  look_up(library, "omp_set_num_threads", set_threads_);
  look_up(library, "omp_set_schedule", set_schedule_);
  look_up(library, "omp_set_dynamic", set_dynamic_);
  look_up(library, "omp_get_thread_num", thread_);
  look_up(library, "omp_get_num_threads", threads_);
  if (!set_threads_ || !set_schedule_ || !set_dynamic_ || !thread_ || !threads_) fork_ = nullptr;
}

void OpenMpRuntime::set(const Team& team) const {
  if (!available()) return;
  set_dynamic_(0);
  set_threads_(team.threads);
  if (!team.schedule.empty()) set_schedule_(schedule_kind(team.schedule), team.chunk);
}

void OpenMpRuntime::parallel(int threads, const std::function<void(int, int)>& body) const {
  if (!available()) return body(0, 1);
  struct Context {
    const OpenMpRuntime& runtime;
    const std::function<void(int, int)>& body;
  } context{*this, body};
  const auto member = [](void* data) {
    const auto& shared = *static_cast<Context*>(data);
    shared.body(shared.runtime.thread_(), shared.runtime.threads_());
  };
  fork_(member, &context, unsigned(std::max(threads, 1)), 0);
}

void OpenMpRuntime::parallel_for(int threads, int64_t count,
                                 const std::function<void(int64_t, int64_t)>& body) const {
  parallel(threads, [&](int member, int members) {
    // The first `more` members get one iteration more, as libgomp's and libomp's schedule(static)
    // do.
    const int64_t each = count / members, more = count % members;
    const int64_t begin = member * each + std::min<int64_t>(member, more);
    body(begin, begin + each + (member < more ? 1 : 0));
  });
}

}  // namespace rooftune::run
