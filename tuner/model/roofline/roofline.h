// One problem's roofline on one machine: the time no variant can beat, a measured time's gap and
// its reasons, and the ceilings and walls between two variants (Williams, Waterman, Patterson, CACM
// 52(4), 2009, with times in place of rates).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/quantity.h"
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
  Estimate seconds() const { return {time.value(), low.value(), high.value()}; }
  static void fields(auto& self, auto& visit) {
    Estimate seconds = self.seconds();
    ROOFTUNE_EACH(visit, self, ceiling, level);
    visit("seconds", seconds);
  }
};

/// One part per precision with work and per level with traffic; on a GPU the launch as well, where
/// the machine has its time.
struct BoundParts {
  std::vector<CeilingTime> times;
  Texts missing;  ///< work or traffic without a usable ceiling
};

/// The maximum over ceilings of work / rate: the time no variant can beat.
struct Bound {
  Seconds time, low, high;  ///< 0 where neither work nor traffic is stated: there is no bound
  bool known() const { return time.value() > 0; }
  std::string ceiling;  ///< the slowest part's, which binds
  Texts also;           ///< ceilings within the interval of the binding one
  Source source;
  std::vector<CeilingTime> parts;  ///< one per level and precision: its best ceiling
  /// The least time in which one micro-kernel does what the slowest part demands: times between
  /// `time` and this may be out of reach. Absent: none did, its mix is unknown.
  std::optional<CeilingTime> reached;
  /// Work and traffic that no ceiling covers ("fp32 work", "L3 traffic"): the bound leaves them
  /// out.
  Texts missing;
};

/// How far a time is from the bound, and why: total = work x traffic x rate.
struct Gap {
  Estimate total;  ///< time / bound, >= 1 unless something is wrong
  std::optional<double> work, traffic, rate;
  std::string unknown_because;  ///< why a factor is absent
  std::string counted_by;       ///< where the factors come from: "instrumented: ..."; empty without
  bool above_roof = false;      ///< total.high < 1: ceiling, work model or validation is wrong
};

/// What is certain about some variants.
struct Restriction {
  int threads = 1;                  ///< they use at most so many
  std::vector<Movement> movements;  ///< each is a minimum
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
  /// For people, where bound() has nothing to go by.
  std::string why_no_bound() const;
  /// Least bytes across the boundary outside the caches inside `level`. With warm data these hold C
  /// bytes from one pass to the next: a byte only read or only written saves one transfer so, a
  /// byte that is both saves two. Among F distinct bytes R + W - F are both, so the least is
  /// R + W - C - min(C, R + W - F), with at least R - C read and W - C written. Throws Error when
  /// the machine has no such level.
  LevelTraffic least_traffic(const std::string& level) const;
  /// The same for other amounts, such as a wall's.
  LevelTraffic least_traffic(const std::string& level, Bytes read, Bytes write) const;
  /// The same for a movement, with the caches that so many threads use.
  LevelTraffic least_traffic(const std::string& level, const Movement& movement, int at_most) const;
  /// At every level that the machine has.
  TrafficByLevel least_traffic() const;

  /// The least work and traffic at the fastest rates ever seen. Throws Error when none of the
  /// machine's ceilings applies.
  Bound bound() const;
  /// A bound's parts for other work and traffic, taken as counted; with at most so many threads, or
  /// its own.
  BoundParts parts(const Work& done, const TrafficByLevel& moved,
                   std::optional<int> most = {}) const;
  /// The time the problem takes at one particular ceiling; nullopt when it does not apply (no work
  /// in its precision, no traffic at its level, another machine's level).
  std::optional<CeilingTime> time_at(const Ceiling& ceiling) const;

  /// `counts`: the call's, nullptr without. Its values make the factors; a factor that needs an
  /// uncounted figure stays absent, with the reason.
  Gap gap(const Estimate& seconds, const Counts* counts, const std::string& not_counted) const;

  /// `stairs`: from the baseline to the top. Entries come slowest first: ceilings with one lack and
  /// walls that are still ahead of the top, and those that the baseline was behind, for certain,
  /// and the top is past. A wall is passed only where the top's counted bytes are below it.
  LedgerEntries ledger(const std::vector<Step>& stairs, const StairEvidence& evidence = {}) const;
  /// The ceilings behind a ledger's entries: first those between the best and the baseline time,
  /// then the nearest.
  Texts ceilings_near(Seconds best, Seconds baseline) const;

  /// The bound for variants under a restriction: with so many threads, and with their own
  /// movements, less the most the caches can save in every pass over the data. nullopt when no
  /// ceiling applies.
  std::optional<RestrictedBound> bound(const Restriction& restriction) const;

 private:
  /// See Bound::reached.
  std::optional<CeilingTime> reached(const CeilingTime& part) const;
};

}  // namespace rooftune::roofline
