// The time that no variant with certain restrictions can beat, safe enough to leave variants out
// for it: where an assumption is not certain it knows nothing.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "roofline/bound.h"

namespace rooftune {

/// What is certain of some variants.
struct Restriction {
  int threads = 1;              ///< they use at most so many
  std::set<std::string> walls;  ///< names of Traffic::walls: they move at least that much
};

/// A proof that a variant takes at least `time`.
struct LeastTime {
  Seconds time{0};
  std::string because;  ///< "DRAM traffic of 134 MB at DRAM triad nt 1t, 17.2 GB/s + 15 %"
};

/// Rates are taken this much faster than the high end of what was measured: clocks and neighbours
/// change from hour to hour.
inline constexpr double rate_margin = 0.15;
/// A level counts only for problems that are larger than all caches inside it by this factor: a
/// measured capacity says what one access pattern found.
inline constexpr double clear_of_caches = 8;

/// The slowest of: least work at the fastest rate of so many threads; least traffic, or that of a
/// wall, at the fastest stream of so many threads. Caches of all cores, used or not, save what they
/// can in every pass over the data. A precision or level with an unstable ceiling (it may be faster
/// than the stable ones), or with none for so few threads, counts for nothing. nullopt when nothing
/// is certain.
std::optional<LeastTime> least_time(const Work& work, const Traffic& traffic,
                                    const Machine& machine, const Restriction& restriction);

}  // namespace rooftune
