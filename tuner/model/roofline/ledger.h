// Ceilings and walls between a baseline and a better variant: broken or not, and by which knob.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/estimate.h"
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
  };
  std::vector<Change> changes;  ///< against the step before; empty for the baseline
};

/// A ceiling or wall, its distance to the best, and its cause. The report finds the words.
struct LedgerEntry {
  enum class Kind { in_core, bandwidth, wall, launch };
  /// broken: the baseline stood behind it, the best is past it. touching: the best is at it, within
  /// a quarter. above: it is still ahead. uncertain: `doubt` says why none of these can be said.
  enum class State { broken, touching, above, uncertain };
  /// Evidence for `knobs`: each was set back alone and the limit held again; or nothing was set
  /// back, and it is the step of the search across the limit.
  enum class Evidence { none, ablation, search };
  Kind kind = Kind::in_core;
  std::string wall;     ///< its name; empty for a ceiling
  std::string level;    ///< level of the bandwidth or traffic; in_core: the precision
  std::string ceiling;  ///< the ceiling whose rate gives `time`
  Paradigms lacks;      ///< paradigms a variant in front of it fails to exploit; empty: the roof
  State state = State::above;
  Seconds time;                     ///< of the problem at this ceiling
  std::vector<Step::Change> knobs;  ///< causes of its break
  Evidence evidence = Evidence::none;
  std::vector<Estimate> set_back;  ///< time with each of `knobs` set back [s]; ablation
  /// Possible causes as well as, or instead of, `knobs`: they could not be set back.
  std::vector<Step::Change> not_set_back;
  bool paired = false;  ///< the ceiling's micro-kernel ran beside the finalists
  std::string doubt;    ///< why uncertain
};
inline Words words(LedgerEntry::Kind) {
  static constexpr const char* all[] = {"in_core", "bandwidth", "wall", "launch"};
  return all;
}
inline Words words(LedgerEntry::State) {
  static constexpr const char* all[] = {"broken", "touching", "above", "uncertain"};
  return all;
}
inline Words words(LedgerEntry::Evidence) {
  static constexpr const char* all[] = {"none", "ablation", "search"};
  return all;
}

/// The best with one changed knob set back to the baseline's value.
struct SetBackTime {
  Step::Change change;
  Estimate seconds;  ///< the best's time times the paired ratio
};

/// Times in rounds with a ceiling's micro-kernel beside them, scaled to its rate in the machine
/// file: a slowdown of both cancels [s].
struct SideBySide {
  Estimate baseline, best;
};

/// Further evidence beside the path.
struct Attribution {
  std::vector<SetBackTime> set_back;          ///< empty: nothing was set back
  std::vector<Step::Change> not_set_back;     ///< changed, and could not be set back
  std::string doubt;                          ///< why nothing may be called broken; empty: it may
  std::map<std::string, SideBySide> beside;   ///< by ceiling; others stand with their intervals
  TrafficByLevel baseline_moved, best_moved;  ///< counted; uncounted levels are absent
  Paradigms baseline_has, best_has;           ///< exploited for sure: counted, or set by a knob
};

/// Whether a change can bring a paradigm the limit lacks: its knob says so, and the change is not
/// away from it (switched off; fewer threads, narrower vectors, fewer chains, less prefetch).
bool can_add(const Step::Change& change, const Paradigms& lacks);

/// Fills knobs, set_back, not_set_back and evidence of a passed entry. Names only changes able to
/// bring a lacking paradigm: first those whose setting back, measured, brings the limit (`seconds`,
/// the longest time at it) back; if one could not be set back, no other is credited; and with
/// nothing set back the last step of the search to cross the limit.
void name_causes(const std::vector<Step>& path, const Attribution& attribution, double seconds,
                 LedgerEntry& entry);

}  // namespace rooftune::roofline
