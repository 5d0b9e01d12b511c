// A test of a machine file's bounds by times of plain C++ loops, independent of the ceilings'
// kernels and compiled as variants are: a loop beating its bound is a fault of the ceilings, and
// its rate becomes a ceiling.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "roofline/roofline.h"

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

struct VerifiedLoop {
  LoopTime time;
  Bound bound;       ///< before anything was repaired
  double ratio = 0;  ///< time / bound.low
  bool beats = false;
};

struct Verification {
  std::vector<VerifiedLoop> loops;    ///< those with a bound, lowest ratio first
  std::vector<std::string> repaired;  ///< names of the ceilings added or raised
  int beating = 0;                    ///< loops faster than their bound before
  int left = 0;                       ///< and after
};

/// Adds to the machine the rate of every loop that beats its bound: "verify sum L2 1t". A note of
/// the machine counts them.
Verification verify(Machine& machine, const std::vector<LoopTime>& times);

}  // namespace rooftune::probe
