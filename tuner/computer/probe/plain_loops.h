// Plain C++ loops independent of the ceilings' kernels, compiled as variants are, and timed at
// sizes of every level: a test of a machine file's bounds.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "roofline/machine.h"
#include "roofline/work.h"

namespace rooftune::probe {

/// One loop at one size, by so many threads, each with a part of its own.
struct LoopTime {
  std::string loop;   ///< "axpy"
  std::string level;  ///< the innermost one large enough for its data; "DRAM": none
  int threads = 1;
  Work work;
  Traffic traffic;
  double seconds = 0;  ///< of a call, in the best window
  double third = 0;    ///< in the third best; as `seconds` where there were fewer windows
};

struct LoopOptions {
  double seconds = 0;  ///< budget without compiling; 0: 120
  std::function<void(const std::string& phase, double done)> progress;
  std::function<bool()> interrupted;
};

/// Times all loops at several sizes within each level of the machine, at its edges, and in memory,
/// with one thread and with all. Warm, in huge pages where the system gives them. Loops beyond the
/// budget are missing in the result. Throws Error when there is no compiler, memory is short, or
/// `interrupted` says so.
std::vector<LoopTime> plain_loop_times(const Machine& machine, const LoopOptions& options);

}  // namespace rooftune::probe
