// The roofline of one problem on one machine: the time no variant can beat, the gap of a measured
// time and its reasons, and the ceilings and walls between two variants (Williams, Waterman,
// Patterson, CACM 52(4), 2009, with times in place of rates).
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
/// the machine has its time.
struct BoundParts {
  std::vector<CeilingTime> times;
  std::vector<std::string> missing;  ///< work or traffic without a usable ceiling
};

/// The maximum over ceilings of work / rate: the time no variant can beat.
struct Bound {
  Seconds time, low, high;  ///< 0 where neither work nor traffic is stated: there is no bound
  bool known() const { return time.value() > 0; }
  std::string ceiling;            ///< of the slowest part, which binds
  std::vector<std::string> also;  ///< ceilings within the interval of the binding one
  Source source;
  std::vector<CeilingTime> parts;  ///< one per level and precision: its best ceiling
  /// The least time of one micro-kernel for the demands of the slowest part: times between `time`
  /// and this may be out of reach. Absent: none did, its mix is unknown.
  std::optional<CeilingTime> reached;
  /// Work and traffic not covered by any ceiling ("fp32 work", "L3 traffic"): the bound leaves it
  /// out.
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

/// Certain properties of some variants.
struct Restriction {
  int threads = 1;                  ///< they use at most so many
  std::vector<Movement> movements;  ///< each of them a minimum
};

/// The time no variant under a restriction beats.
struct RestrictedBound {
  CeilingTime time;
  /// "DRAM traffic of 134 MB (no reuse between steps) with at most 1 thread at \"DRAM triad 1t\""
  std::string because;
};

/// A problem (least work and traffic) on a machine, of which a variant may use `threads` threads.
struct Roofline {
  Work work;
  Traffic traffic;
  Machine machine;
  int threads = 1;

  /// The problem has work or traffic; without either nothing limits it.
  bool states_limit() const;
  /// Least bytes across the boundary outside the caches inside `level`. With warm data these hold C
  /// bytes from one pass to the next: a byte only read or only written saves one transfer so, one
  /// that is both saves two. Of F distinct bytes R + W - F are both, so the least is R + W - C -
  /// min(C, R + W - F), of it at least R - C read and W - C written. Throws Error when the machine
  /// has no such level.
  LevelTraffic least_traffic(const std::string& level) const;
  /// The same for other amounts, such as a wall's.
  LevelTraffic least_traffic(const std::string& level, Bytes read, Bytes write) const;
  /// The same of a movement, with the caches of so many threads.
  LevelTraffic least_traffic(const std::string& level, const Movement& movement, int at_most) const;
  /// At every level of the machine.
  TrafficByLevel least_traffic() const;

  /// The least work and traffic at the fastest rates ever seen. Throws Error when no ceiling of the
  /// machine applies.
  Bound bound() const;
  /// The parts of a bound with other work and traffic, taken as counted.
  BoundParts parts(const Work& done, const TrafficByLevel& moved) const;
  /// The same with at most so many threads.
  BoundParts parts(const Work& done, const TrafficByLevel& moved, int at_most) const;
  /// The time the problem takes at one particular ceiling; nullopt when it does not apply (no work
  /// of its precision, no traffic at its level, a level of another machine).
  std::optional<CeilingTime> time_at(const Ceiling& ceiling) const;

  /// `counts`: of the call, nullptr without. Its values make the factors; a factor in need of an
  /// uncounted figure stays absent, with the reason.
  Gap gap(const Estimate& seconds, const Counts* counts, const std::string& not_counted) const;

  /// `path` starts with the baseline and ends with the best. Entries come slowest first, without
  /// ceilings the baseline already exceeds and walls it was never counted behind. A limit is broken
  /// only when the best's interval is below its time and the baseline's above it, and, of a wall,
  /// the best's counted bytes below its bytes. Causes: name_causes().
  std::vector<LedgerEntry> ledger(const std::vector<Step>& path,
                                  const Attribution& known = {}) const;
  /// The ceilings behind the entries of a ledger, those nearest to `seconds` (of a best) first.
  std::vector<std::string> ceilings_near(Seconds seconds) const;

  /// The bound of the variants under a restriction: with so many threads, and with their own
  /// movements, less the most the caches can save in every pass over the data. nullopt when no
  /// ceiling applies.
  std::optional<RestrictedBound> bound(const Restriction& restriction) const;

 private:
  /// See Bound::reached.
  std::optional<CeilingTime> reached(const CeilingTime& part) const;
};

}  // namespace rooftune::roofline
