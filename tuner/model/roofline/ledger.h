// The ledger: the ceilings and walls on the way from a baseline to a staircase's top.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/quantity.h"
#include "core/value.h"
#include "roofline/paradigm.h"
#include "roofline/work.h"

namespace rooftune::roofline {

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
  using Changes = std::vector<Change>;
  Changes changes;  ///< against the step before; empty for the baseline
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
using LedgerEntries = std::vector<LedgerEntry>;

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

}  // namespace rooftune::roofline
