// The arguments of one call of a kernel, made from its manifest, between guard pages.
// The caller keeps it alive while a function uses arguments().
#pragma once
#include <deque>
#include <vector>

#include "guarded_array.h"
#include "kernel/kernel.h"

namespace rooftune::testing {

class KernelCall {
 public:
  /// Inputs are filled with fixed pseudo-random numbers in [0.5, 1.5), outputs with NaN.
  KernelCall(const Kernel& kernel, const Facts& parameters, Flush flush);

  void** arguments() { return arguments_.data(); }
  /// Contents of all arrays, in the order of the arguments.
  std::vector<std::vector<double>> arrays() const;

 private:
  struct Array {
    GuardedArray memory;
    std::size_t count;
  };
  void add_scalar(const Argument& argument, const Facts& parameters);
  void add_array(const Argument& argument, const Facts& parameters, Flush flush);

  std::deque<std::int64_t> integers_;
  std::deque<double> reals_;
  std::vector<Array> arrays_;
  std::vector<void*> arguments_;
};

}  // namespace rooftune::testing
