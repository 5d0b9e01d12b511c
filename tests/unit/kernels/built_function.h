// A kernel function compiled from its source with some knobs while the test runs, and loaded.
// The caller passes arguments as pointers to the scalars and to the first elements of the arrays.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "space/search_space.h"

namespace rooftune::testing {

/// Stays loaded until the process ends: threads of the OpenMP runtime that came with it live on.
class BuiltFunction {
 public:
  /// The reference of a kernel.
  explicit BuiltFunction(const Kernel& kernel);
  /// The OpenMP source with the compile and flag knobs of a configuration. `more` flags:
  /// -DROOFTUNE_LIBRARY makes it a library's, with the functions of its own. Throws
  /// std::runtime_error with the compiler's output.
  BuiltFunction(const Kernel& kernel, const SearchSpace& space, const Configuration& configuration,
                const std::vector<std::string>& more = {});
  BuiltFunction(const BuiltFunction&) = delete;
  BuiltFunction& operator=(const BuiltFunction&) = delete;

  void prepare(void** arguments) const;
  void call(void** arguments) const;
  void finish(void** arguments) const;
  /// A function of the kernel's own in a library: what it returns.
  bool further(const char* name, void** arguments) const;
  /// Control variables of the OpenMP runtime that the function uses.
  void set_openmp(int threads, const std::string& schedule, int chunk) const;

 private:
  void build(const std::string& shim, const std::vector<std::string>& flags);
  void* symbol(const char* name) const;

  std::filesystem::path directory_;
  void* library_ = nullptr;
};

/// Bits of the widest vectors that this CPU has and built functions may use.
int simd_bits();

}  // namespace rooftune::testing
