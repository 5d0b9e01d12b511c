// What differs between two counted configurations, as amounts with both values.
#pragma once
#include <string>
#include <vector>

#include "roofline/busy.h"
#include "roofline/counts.h"

namespace rooftune::roofline {

/// A figure counted for two configurations.
struct Amount {
  enum class Kind {
    other,
    traffic,
    memory_traffic,
    arithmetic,
    vectors,
    divisions,
    instructions,
    memory_rate,
    threads
  };
  std::string what;  ///< "memory traffic", "arithmetic", "memory", "same bytes," (their rate), ...
  std::string unit;  ///< "B", "flop", "%", "operation", "load", "thread", "B/s", ...
  double before = 0, after = 0;
  Kind kind = Kind::other;
  std::string part = {};  ///< which part of the machine it keeps busy; empty: none alone
  double explains = 0;    ///< share of the step's gain, in [0, 1], by the time that it relieves
  ROOFTUNE_FIELDS(what, unit, before, after, explains)
};
using Amounts = std::vector<Amount>;

/// The amounts that differ by more than 3 % and beyond the counts' intervals, the largest relative
/// change first; figures that follow from others (instructions, bytes per second) come last. A
/// call's seconds, where both are known, add the memory rate.
Amounts amounts(const Counts& before, const Counts& after, double seconds_before = 0,
                double seconds_after = 0);

/// Puts first what explains most of a step's gain. Each amount keeps a part of the machine busy; it
/// explains the time by which that part is relieved, above all the time that the part took beyond
/// the new one. For busy memory it explains what fewer bytes and what a higher rate gained. The
/// rate is the gain in other words: it comes first only where nothing else explains three tenths.
/// `before`, `after`: what limits the two calls, which take these seconds.
void order_by_relief(Amounts& amounts, const Limit& before, double seconds_before,
                     const Limit& after, double seconds_after);

}  // namespace rooftune::roofline
