// A test of a machine file's bounds by times of loops: a loop beating its bound is a fault of the
// ceilings, and its rate becomes a ceiling.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "probe/plain_loops.h"
#include "roofline/roofline.h"

namespace rooftune::probe {

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

Json to_json(const Verification& verification);

}  // namespace rooftune::probe
