// What limits code that keeps no part of the machine busy: at most one cause, with its evidence.
#pragma once
#include <optional>

#include "roofline/counts.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// Why no part is busy.
struct Cause {
  enum class Kind {
    dependent_loads,       ///< each needs the value loaded before as its address
    dependent_operations,  ///< each needs the result before it
    imbalance,             ///< the other threads wait for the busiest
    regions,               ///< parallel regions begin and end
  };
  Kind kind = Kind::imbalance;
  double share = 0;   ///< share of the time; at most what the busiest part leaves idle
  double amount = 0;  ///< loads, operations, regions per call; imbalance: the busiest over the mean
  double seconds = 0;  ///< one load's, operation's or empty region's; imbalance: 0
};

/// The longest wait in a call that takes `seconds`; `left`: the share of the time in which the
/// busiest part is idle. None below three tenths of the time: a shorter wait may hide behind other
/// work.
std::optional<Cause> longest_wait(const Counts& counts, const Machine& machine,
                                  const Estimate& seconds, double left);

}  // namespace rooftune::roofline
