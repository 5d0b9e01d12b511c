// What differs between two counted configurations, as amounts with both values.
#pragma once
#include <string>
#include <vector>

#include "roofline/busy.h"
#include "roofline/counts.h"

namespace rooftune::roofline {

/// A counted figure of two configurations.
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
  std::string part = {};  ///< the machine's, which it keeps busy; empty: none alone
  double explains = 0;    ///< share of the step's gain, in [0, 1]: the time by which it relieves
  ROOFTUNE_FIELDS(what, unit, before, after, explains)
};

/// Those that differ by more than 3 % and beyond the intervals of the counts, the largest relative
/// change first; figures that follow from others (instructions, bytes per second) only last.
/// Seconds of a call, where both are known, add the rate of memory.
std::vector<Amount> amounts(const Counts& before, const Counts& after, double seconds_before = 0,
                            double seconds_after = 0);

/// Puts first what explains most of a step's gain: the time by which the part of the machine that
/// an amount keeps busy is relieved, above all what this part took beyond the new time; of memory,
/// where it is busy, what fewer bytes and what a higher rate gained. The rate is the gain in other
/// words: it comes first only where nothing else explains three tenths.
/// `before`, `after`: the limits of the two calls, which take these seconds.
void order_by_relief(std::vector<Amount>& amounts, const Limit& before, double seconds_before,
                     const Limit& after, double seconds_after);

}  // namespace rooftune::roofline
