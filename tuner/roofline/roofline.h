// The roofline of one problem on one machine: the time that no variant can beat, how far a measured
// time is from it and why, and which ceilings and walls lie between two variants (Williams,
// Waterman, Patterson, CACM 52(4), 2009, with times in place of rates).
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofline/counts.h"
#include "roofline/ledger.h"
#include "roofline/machine.h"
#include "roofline/work.h"

namespace rooftune::inline roofline {

/// One ceiling applied to the problem: least work or traffic over its rate.
struct CeilingTime {
  std::string ceiling;
  std::string level;        ///< or precision
  Seconds time, low, high;  ///< low from the ceiling's high rate
};

/// One part per precision with work and per level with traffic.
struct BoundParts {
  std::vector<CeilingTime> times;
  std::vector<std::string> missing;  ///< work or traffic without a usable ceiling
};

/// The maximum over ceilings of work / rate: the time no variant can beat.
struct Bound {
  Seconds time, low, high;
  std::string ceiling;            ///< the slowest part's, which binds
  std::vector<std::string> also;  ///< ceilings within the interval of the one that binds
  Source source;
  std::vector<CeilingTime> parts;  ///< one per level and precision: its best ceiling
  /// Work and traffic that no stable ceiling covers ("fp32 work", "L3 traffic"): the bound leaves
  /// it out.
  std::vector<std::string> missing;
};

/// The distance of a time from the bound, and its causes: total = work x traffic x rate.
struct Gap {
  Estimate total;  ///< time / bound, >= 1 unless something is wrong
  std::optional<double> work, traffic, rate;
  std::string unknown_because;  ///< why a factor is absent
  std::string counted_by;       ///< the source of the factors: "instrumented: ..."; empty without
  bool above_roof = false;      ///< total.high < 1: ceiling, work model or validation is wrong
};

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

/// Rates are taken this much faster than the high end of what was measured when a least time is
/// proven: clocks and neighbours change from hour to hour.
inline constexpr double rate_margin = 0.15;
/// A level counts for a least time only when the problem is larger than all caches inside it by
/// this factor: a measured capacity says what one access pattern found.
inline constexpr double clear_of_caches = 8;

/// A problem (least work and traffic) on a machine of which a variant may use `threads` threads.
struct Roofline {
  Work work;
  Traffic traffic;
  Machine machine;
  int threads = 1;

  /// Bytes that must cross the boundary outside the caches inside `level`. With warm data at most
  /// their capacity C of the bytes read and of the dirty bytes can be saved, so that the least is
  /// max(0, R - C) + max(0, W - C). Of private caches only those of `threads` cores count. Throws
  /// Error when the machine has no such level.
  LevelTraffic least_traffic(const std::string& level) const;
  /// The same for other amounts, such as a wall's.
  LevelTraffic least_traffic(const std::string& level, Bytes read, Bytes write) const;
  /// At every level of the machine.
  TrafficByLevel least_traffic() const;

  /// Per level the rate is the faster of the two measured load:store mixes that bracket the
  /// problem's: an over-estimate of the rate, so that the bound stays a lower bound. Throws Error
  /// when the machine has no stable ceiling that applies.
  Bound bound() const;
  /// The parts of a bound with other work and traffic, taken as they are: what was counted.
  BoundParts parts(const Work& done, const TrafficByLevel& moved) const;
  /// The time the problem takes at one particular ceiling; nullopt when it does not apply (no work
  /// of that precision, no traffic at that level, a level of another machine).
  std::optional<CeilingTime> time_at(const Ceiling& ceiling) const;

  /// `counts`: what the call really did, nullptr when nobody counted. Its values make the factors;
  /// a factor that needs a figure which was not counted stays absent, with the reason.
  Gap gap(const Estimate& seconds, const Counts* counts, const std::string& not_counted) const;

  /// `path` starts with the baseline and ends with the best. Entries come slowest first; ceilings
  /// that the baseline already exceeds are left out. A ceiling is broken only when the best's
  /// interval is below its time and the baseline's above it; touching when the best's interval
  /// meets it; uncertain when the baseline's does. A knob broke it when the best with that knob set
  /// back lies above its time again, interval and all.
  std::vector<LedgerEntry> ledger(const std::vector<Step>& path,
                                  const Attribution& attribution = {}) const;

  /// The time that no variant under a restriction can beat, safe enough to leave variants out for
  /// it. The slowest of: least work at the fastest rate of so many threads; least traffic, or that
  /// of a wall, at the fastest stream of so many threads. Caches of all cores, used or not, save
  /// what they can in every pass over the data. A precision or level with an unstable ceiling (it
  /// may be faster than the stable ones), or with none for so few threads, counts for nothing.
  /// nullopt when nothing is certain.
  std::optional<LeastTime> least_time(const Restriction& restriction) const;
};

}  // namespace rooftune::inline roofline
