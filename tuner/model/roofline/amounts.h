// What differs between two counted configurations, as amounts with both values.
#pragma once
#include <string>
#include <vector>

#include "roofline/counts.h"

namespace rooftune::roofline {

/// A counted figure of two configurations.
struct Amount {
  std::string what;  ///< "memory traffic", "L2 traffic", "arithmetic", "operations in vectors", ...
  std::string unit;  ///< "B", "flop", "%", "operation", "load", "thread", "B/s", ...
  double before = 0, after = 0;
};

/// Those that differ by more than 3 %, the largest relative change first; figures that follow from
/// others (instructions, bytes per second) only last. Seconds of a call, where both are known, add
/// the rate of memory.
std::vector<Amount> amounts(const Counts& before, const Counts& after, double seconds_before = 0,
                            double seconds_after = 0);

}  // namespace rooftune::roofline
