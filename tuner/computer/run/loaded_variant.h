// An artefact in the worker's memory: its functions, called with their faults caught.
#pragma once
#include <string>
#include <vector>

#include "os/dynamic_library.h"
#include "trial/trial.h"

namespace rooftune {
class CudaDevice;  // of the headers included by variants
}  // namespace rooftune
namespace rooftune::run {

/// The end of a trial by a fault of the variant.
struct VariantFault {
  Outcome outcome = Outcome::crashed;
  std::string detail;
};

class LoadedVariant {
 public:
  /// Throws VariantFault when it cannot be loaded.
  explicit LoadedVariant(const std::filesystem::path& library);
  /// Before any other call; nothing when the variant has no use for a device.
  void attach(CudaDevice* device) const;
  const DynamicLibrary& library() const { return library_; }
  bool has_prepare() const { return prepare_ != nullptr; }
  bool has_finish() const { return finish_ != nullptr; }
  /// Each throws VariantFault when the variant throws.
  void prepare(const std::vector<void*>& arguments) const;
  void call(const std::vector<void*>& arguments) const;
  /// Nothing when the variant has no such function.
  void finish(const std::vector<void*>& arguments) const;

 private:
  using Function = void (*)(void* const*);
  DynamicLibrary library_;
  Function call_, prepare_, finish_;
  void (*attach_)(CudaDevice*);
};

}  // namespace rooftune::run
