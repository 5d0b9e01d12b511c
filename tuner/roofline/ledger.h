// Which ceilings and walls lie between a baseline and a better variant, which fell, and to which
// knob.
#pragma once
#include <string>
#include <vector>

#include "core/estimate.h"
#include "core/quantity.h"

namespace rooftune {

struct LedgerEntry {
  /// uncertain: the best is past it, but the baseline's interval meets it, or the two could not be
  /// told apart.
  enum class State { broken, touching, above, uncertain };
  /// How `knobs` are known: each was set back alone and the limit held again; none did so alone,
  /// but each costs time; or it is only the step of the search that crossed it.
  enum class Evidence { none, ablation, together, search };
  std::string name;
  std::string kind;  ///< in_core, bandwidth, wall
  State state = State::above;
  Seconds time;       ///< of the problem at this ceiling
  std::string lacks;  ///< paradigm(s) whose absence defines it: "simd", "nt_store", "compulsory"
  std::vector<std::string> knobs;  ///< "simd_width: 1 -> 8": what broke it
  Evidence evidence = Evidence::none;
  std::vector<Estimate> set_back;  ///< time with each of `knobs` set back [s]; ablation, together
  std::string doubt;               ///< why uncertain
};
const char* to_text(LedgerEntry::State state);
const char* to_text(LedgerEntry::Evidence evidence);

/// One improvement on the way from baseline to best.
struct Step {
  Estimate seconds;
  struct Change {
    std::string knob, from, to;
    std::vector<std::string> breaks;  ///< what the knob says it can break
  };
  std::vector<Change> changes;  ///< against the step before; empty for the baseline
};

/// The best with one changed knob set back to the baseline's value.
struct SetBackTime {
  Step::Change change;
  Estimate seconds;  ///< the best's time times the paired ratio
  Estimate factor;   ///< over the best's time, paired
};

/// What is known beside the path.
struct Attribution {
  std::vector<SetBackTime> set_back;  ///< empty: nothing was set back
  std::string doubt;                  ///< why nothing may be called broken; empty: it may
};

}  // namespace rooftune
