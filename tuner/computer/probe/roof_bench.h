// Micro-kernels of ceilings that run beside something else: what the machine gives at that moment.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "roofline/machine.h"

namespace rooftune::probe {

/// Holds pinned threads that sleep between calls, and their memory. The thread that calls is not
/// pinned, nor are processes that it starts meanwhile. One call at a time.
class RoofBench {
 public:
  /// Of the named ceilings of the machine those that this host can run again in milliseconds: not
  /// random walks, whose memory must be linked anew each time; none where the architecture has no
  /// micro-kernels. Throws Error when a CPU cannot be pinned to or memory is short.
  RoofBench(const Machine& machine, const std::vector<std::string>& names);
  ~RoofBench();
  const std::vector<std::string>& names() const;
  /// Median rates of a few windows of each now, about 5 ms each; in the order of the names [flop/s,
  /// B/s]; 0 for one that no window could be taken of.
  std::vector<double> rates();

 private:
  struct Runner;
  std::unique_ptr<Runner> runner_;
};

}  // namespace rooftune::probe
