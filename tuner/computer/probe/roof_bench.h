// Micro-kernels of ceilings beside other work: the machine's rates at the moment.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::probe {

/// Holds pinned threads, asleep between calls, and their memory. The calling thread and processes
/// started meanwhile are not pinned. One call at a time.
class RoofBench {
 public:
  /// Of the named ceilings of the machine those this host can run again in milliseconds: no random
  /// walks, as they link their memory anew each time; none on an architecture without
  /// micro-kernels. Throws Error when a CPU cannot be pinned to or memory is short.
  RoofBench(const Machine& machine, const std::vector<std::string>& names);
  ~RoofBench();
  const std::vector<std::string>& names() const;
  /// Median rates of a few windows of each now, about 5 ms each; in the order of the names [flop/s,
  /// B/s]; 0 for one without a window.
  std::vector<double> rates();

 private:
  struct Runner;
  std::unique_ptr<Runner> runner_;
};

}  // namespace rooftune::probe
