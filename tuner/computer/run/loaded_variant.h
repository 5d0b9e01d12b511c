// Libraries in the worker's memory: an artefact, its functions called with their faults caught; and
// the variants' OpenMP library, loaded by name, for the engine itself is not linked with one. The
// caller sets the OMP_ variables before the process starts; the library reads them when it is
// loaded.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/list.h"
#include "os/dynamic_library.h"
#include "run/message.h"
#include "trial/trial.h"

namespace rooftune {
class CudaDevice;  // in the headers included by variants
}  // namespace rooftune
namespace rooftune::run {

/// A fault of the variant, which ends its trial.
struct VariantFault {
  Outcome outcome = Outcome::crashed;
  std::string detail;
};

/// One pointer for each kernel argument, as rt_call takes them.
using Arguments = std::vector<void*>;

class LoadedVariant {
 public:
  /// Throws VariantFault when it cannot be loaded.
  explicit LoadedVariant(const fs::path& library);
  /// Comes before any other call; does nothing when the variant has no use for a device.
  void attach(CudaDevice* device) const;
  const DynamicLibrary& library() const { return library_; }
  bool has_prepare() const { return prepare_ != nullptr; }
  bool has_finish() const { return finish_ != nullptr; }
  /// Each throws VariantFault when the variant throws.
  void prepare(const Arguments& arguments) const;
  void call(const Arguments& arguments) const;
  /// Does nothing when the variant has no such function.
  void finish(const Arguments& arguments) const;

 private:
  using Function = void (*)(void* const*);
  DynamicLibrary library_;
  Function call_, prepare_, finish_;
  void (*attach_)(CudaDevice*);
};

class OpenMpRuntime {
 public:
  /// Loads the first that exists among `names` and keeps it for ever: its threads outlive every
  /// variant. Without a library, teams have one member and settings are ignored.
  explicit OpenMpRuntime(const Texts& names);
  bool available() const { return fork_ != nullptr; }
  void set(const Team& team) const;
  /// Calls body(member, members) on a team with at most `threads`, the same team that kernels with
  /// this thread count get. `body` must not throw.
  void parallel(int threads, const std::function<void(int, int)>& body) const;
  /// Calls body(begin, end) for each member's part of [0, count) by schedule(static).
  void parallel_for(int threads, int64_t count,
                    const std::function<void(int64_t, int64_t)>& body) const;

 private:
  void (*fork_)(void (*)(void*), void*, unsigned, unsigned) = nullptr;
  void (*set_threads_)(int) = nullptr;
  void (*set_schedule_)(int, int) = nullptr;
  void (*set_dynamic_)(int) = nullptr;
  int (*thread_)() = nullptr;
  int (*threads_)() = nullptr;
};

}  // namespace rooftune::run
