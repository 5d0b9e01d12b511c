// The roofline of one problem on one machine: the time that no variant can beat, how far a measured
// time is from it and why, and which ceilings and walls lie between two variants (Williams,
// Waterman, Patterson, CACM 52(4), 2009, with times in place of rates).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "roofline/counts.h"
#include "roofline/ledger.h"
#include "roofline/machine.h"
#include "roofline/work.h"

namespace rooftune::roofline {

/// One ceiling applied to the problem: least work or traffic over its rate.
struct CeilingTime {
  std::string ceiling;
  std::string level;        ///< or precision, or "launch"
  Seconds time, low, high;  ///< low from the ceiling's high rate
};

/// One part per precision with work and per level with traffic; on a GPU the launch as well, where
/// the machine tells its time.
struct BoundParts {
  std::vector<CeilingTime> times;
  std::vector<std::string> missing;  ///< work or traffic without a usable ceiling
};

/// The maximum over ceilings of work / rate: the time no variant can beat.
struct Bound {
  Seconds time, low, high;  ///< 0 where neither work nor traffic is stated: there is no bound
  bool known() const { return time.value() > 0; }
  std::string ceiling;            ///< the slowest part's, which binds
  std::vector<std::string> also;  ///< ceilings within the interval of the one that binds
  Source source;
  std::vector<CeilingTime> parts;  ///< one per level and precision: its best ceiling
  /// The least time in which one micro-kernel was seen to do what the slowest part must: what lies
  /// between it and `time` may be out of reach. Absent: none did, its mix is unknown.
  std::optional<CeilingTime> reached;
  /// Work and traffic that no ceiling covers ("fp32 work", "L3 traffic"): the bound leaves
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
  int threads = 1;                  ///< they use at most so many
  std::vector<Movement> movements;  ///< each of which they make at least
};

/// The time that no variant under a restriction beats.
struct RestrictedBound {
  CeilingTime time;
  /// "DRAM traffic of 134 MB (no reuse between steps) with at most 1 thread at \"DRAM triad 1t\""
  std::string because;
};

/// A problem (least work and traffic) on a machine of which a variant may use `threads` threads.
struct Roofline {
  Work work;
  Traffic traffic;
  Machine machine;
  int threads = 1;

  /// The problem has work or traffic, without which nothing limits it.
  bool states_limit() const;
  /// Bytes that must cross the boundary outside the caches inside `level`. With warm data these
  /// hold C bytes from one pass to the next: a byte that is only read or only written saves one
  /// transfer so, one that is both saves two. Of F distinct bytes R + W - F are both, so that the
  /// least is R + W - C - min(C, R + W - F), of it at least R - C read and W - C written. Throws
  /// Error when the machine has no such level.
  LevelTraffic least_traffic(const std::string& level) const;
  /// The same for other amounts, such as a wall's.
  LevelTraffic least_traffic(const std::string& level, Bytes read, Bytes write) const;
  /// What a movement with so many threads' caches moves across it.
  LevelTraffic least_traffic(const std::string& level, const Movement& movement, int at_most) const;
  /// At every level of the machine.
  TrafficByLevel least_traffic() const;

  /// The fastest rates that were ever seen, for what must be done at least. Throws Error when the
  /// machine has no ceiling that applies.
  Bound bound() const;
  /// The parts of a bound with other work and traffic, taken as they are: what was counted.
  BoundParts parts(const Work& done, const TrafficByLevel& moved) const;
  /// The same with at most so many threads.
  BoundParts parts(const Work& done, const TrafficByLevel& moved, int at_most) const;
  /// The time the problem takes at one particular ceiling; nullopt when it does not apply (no work
  /// of that precision, no traffic at that level, a level of another machine).
  std::optional<CeilingTime> time_at(const Ceiling& ceiling) const;

  /// `counts`: what the call really did, nullptr when nobody counted. Its values make the factors;
  /// a factor that needs a figure which was not counted stays absent, with the reason.
  Gap gap(const Estimate& seconds, const Counts* counts, const std::string& not_counted) const;

  /// `path` starts with the baseline and ends with the best. Entries come slowest first; ceilings
  /// that the baseline already exceeds are left out, and walls that it was never counted behind. A
  /// limit is broken only when the best's interval is below its time and the baseline's above it,
  /// and, of a wall, the best's counted bytes below its bytes. Who did it: causes.h.
  std::vector<LedgerEntry> ledger(const std::vector<Step>& path,
                                  const Attribution& known = {}) const;
  /// The ceilings whose rates the entries of a ledger would have, those nearest to `seconds` (of a
  /// best) first.
  std::vector<std::string> ceilings_near(Seconds seconds) const;

  /// The bound of the variants under a restriction: with so many threads, and with what they move,
  /// of which the caches save what they can in every pass over the data. nullopt when no ceiling
  /// applies.
  std::optional<RestrictedBound> bound(const Restriction& restriction) const;

 private:
  /// See Bound::reached.
  std::optional<CeilingTime> reached(const CeilingTime& part) const;
};

}  // namespace rooftune::roofline
