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
#include "core/value.h"
#include "roofline/counts.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

/// Operation counts by precision and kind: add, mul, div, sqrt. A fused multiply-add is one add and
/// one mul.
using LeastOperations = ByName<NamedNumbers>;
const Texts& operation_kinds();

/// Least (algorithmic) floating-point operations per precision: {"fp64": flops}.
struct Work {
  ByName<Flops> least;
  /// The least of each kind, whatever form the algorithm takes; absent where it is not known.
  LeastOperations operations = {};
  /// Work and traffic are stated as far as they are known: to count more is no contradiction.
  bool partial = false;
  Flops nominal{0};  ///< fixed formula shown to people as flop/s
  double items = 0;  ///< updates, cells, ...
  std::string item;  ///< singular: "update"
  static void fields(auto& self, auto& visit) {
    visit.defaulted("least", self.least)("nominal", self.nominal);
    ROOFTUNE_EACH(visit.defaulted, self, items, item);
    visit.sparse("operations", self.operations)("partial", self.partial).open();
  }
};

/// Whether a precision means integer operations ("int32") and no flops.
inline bool is_of_integers(std::string_view precision) { return precision.starts_with("int"); }
inline const char* work_unit(std::string_view precision) {
  return is_of_integers(precision) ? "operation" : "flop";
}
/// The least over all precisions [flop], without integers; 0 for a kernel that declares none.
inline double least_flops(const Work& work) {
  double all = 0;
  for (const auto& [precision, count] : work.least)
    if (!is_of_integers(precision)) all += count.value();
  return all;
}

/// A locality wall: the traffic that a variant has without one optimisation.
struct Wall {
  std::string name;   ///< "write allocate", "no reuse between steps", "CSR 32-bit indices"
  Paradigm lacks{};   ///< the paradigm that removes it
  std::string level;  ///< "DRAM", or empty: the outermost level with traffic
  Bytes read{0}, write{0};
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(name)("breaks", self.lacks).defaulted("level", self.level);
    ROOFTUNE_EACH(visit, self, read, write);
    visit.open();
  }
};

/// One call's least (compulsory) traffic, and the data it touches.
struct Traffic {
  Bytes read{0}, write{0};  ///< each distinct byte once
  Bytes footprint{0};       ///< distinct bytes touched
  bool warm = true;         ///< the last repetition's data may still be in the caches
  std::vector<Wall> walls;
  /// Some bytes are read and written: such lines need no second stream and no write allocate.
  bool in_place() const;
  /// Which share of the moved bytes is read; 1 without any.
  double share_read() const;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, read, write, footprint);
    ROOFTUNE_EACH(visit.defaulted, self, warm, walls);
    visit.open();
  }
};

/// The least bytes that some variants move.
struct Movement {
  std::string what;   ///< "no reuse between steps", "one pass for each time block"
  std::string level;  ///< the only level it is certain at; empty: every level
  Bytes read{0}, write{0};
  /// Distinct bytes in one pass; nullopt: perhaps no more than the problem's.
  std::optional<Bytes> footprint = {};
  double passes = 1;          ///< over the data: each finds the caches as the one before left them
  bool plain_stores = false;  ///< none goes past the caches
};

/// Bytes across the boundary outside one level's inner neighbour.
struct LevelTraffic {
  Bytes read{0}, write{0};
  Bytes either{0};  ///< more, read or written at a variant's choice
  Bytes total() const { return read + write + either; }
};
using TrafficByLevel = ByName<LevelTraffic>;

/// One improvement on the way from baseline to best.
struct Step {
  Estimate seconds;
  struct Change {
    std::string knob;
    Value from, to;
    std::vector<Paradigm> breaks;  ///< paradigms the knob declares to break
    bool operator==(const Change& other) const = default;
    ROOFTUNE_FIELDS(knob, from, to)
  };
  std::vector<Change> changes;  ///< against the step before; empty for the baseline
};

/// A ceiling or wall, and where a staircase passes it. The report finds the words.
struct LedgerEntry {
  ROOFTUNE_NESTED_ENUM(Kind, in_core, bandwidth, wall, launch)
  Kind kind = Kind::in_core;
  std::string wall = {};     ///< its name; empty for a ceiling
  std::string level = {};    ///< the level whose bandwidth or traffic it is; in_core: the precision
  std::string ceiling = {};  ///< the ceiling whose rate gives `time`
  Paradigms lacks = {};  ///< paradigms a variant in front of it fails to exploit; empty: the roof
  Seconds time = {};     ///< the problem's at this ceiling
  /// The same at its rate in the race's rounds, where it ran beside them. Where a precision's
  /// ceiling was passed: for the work counted at the stair that passed it.
  Seconds beside = {};
  bool paired = false;  ///< the ceiling's micro-kernel ran beside the race
  /// The first stair with a time below it; nullopt: it is still ahead.
  std::optional<size_t> passed_by = {};
  /// The stair, at or before that one, whose change brought what the limit lacks: counts show it,
  /// or a knob declares it and no count denies it. nullopt: it was passed only.
  std::optional<size_t> broken_by = {};
  /// The knobs in that change that add what the limit lacks, else all that the top keeps.
  Texts knobs = {};
};

/// A stair's time in a race with a ceiling's micro-kernel beside it, scaled to the ceiling's rate
/// in the machine file, so that a slowdown that hits both cancels [s].
struct Scaled {
  Estimate whole;  ///< scaled in full
  Estimate half;   ///< by half, in logarithms: code may wait for the ceiling in part only
};

/// What is known about stairs beside their times. By stair, from the baseline on; shorter lists and
/// absent levels were not counted.
struct StairEvidence {
  ByName<std::vector<Scaled>> beside = {};  ///< by ceiling
  std::vector<Paradigms> has = {};          ///< exploited for sure: counted, or set by a knob
  std::vector<NamedNumbers> flops = {};  ///< by precision; empty: its operations were not counted
  std::vector<TrafficByLevel> moved = {};
};

/// Whether a change can bring a paradigm the limit lacks: its knob says so, and the change is not
/// away from it (switched off; fewer threads, narrower vectors, fewer chains, less prefetch).
bool can_add(const Step::Change& change, const Paradigms& lacks);

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
  std::vector<LedgerEntry> ledger(const std::vector<Step>& stairs,
                                  const StairEvidence& evidence = {}) const;
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
