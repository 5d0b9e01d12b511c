// Which ceilings and walls lie between a baseline and a better variant, which fell, and to which
// knob.
#pragma once
#include <string>
#include <vector>

#include "core/estimate.h"
#include "core/quantity.h"
#include "core/value.h"
#include "roofline/paradigm.h"

namespace rooftune::inline roofline {

/// One improvement on the way from baseline to best.
struct Step {
  Estimate seconds;
  struct Change {
    std::string knob;
    Value from, to;
    std::vector<Paradigm> breaks;  ///< what the knob says it can break
    bool operator==(const Change& other) const = default;
  };
  std::vector<Change> changes;  ///< against the step before; empty for the baseline
};

/// A ceiling or wall, how the best stands to it, and what broke it. The report finds the words.
struct LedgerEntry {
  enum class Kind { in_core, bandwidth, wall };
  /// uncertain: the best is past it, but the baseline's interval meets it, or the two could not be
  /// told apart.
  enum class State { broken, touching, above, uncertain };
  /// How `knobs` are known: each was set back alone and the limit held again; none did so alone,
  /// but each costs time; or it is only the step of the search that crossed it.
  enum class Evidence { none, ablation, together, search };
  Kind kind = Kind::in_core;
  std::string wall;     ///< its name; empty for a ceiling
  std::string level;    ///< whose bandwidth or traffic it is; in_core: the precision
  std::string ceiling;  ///< whose rate gives `time`
  Paradigms lacks;      ///< what a variant in front of it fails to exploit; empty: the roof
  State state = State::above;
  Seconds time;                     ///< of the problem at this ceiling
  std::vector<Step::Change> knobs;  ///< what broke it
  Evidence evidence = Evidence::none;
  std::vector<Estimate> set_back;  ///< time with each of `knobs` set back [s]; ablation, together
  std::string doubt;               ///< why uncertain
};
const char* to_text(LedgerEntry::Kind kind);
const char* to_text(LedgerEntry::State state);
const char* to_text(LedgerEntry::Evidence evidence);

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

}  // namespace rooftune::inline roofline
