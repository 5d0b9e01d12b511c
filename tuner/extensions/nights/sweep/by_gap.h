// Division of one time among the studies of a sweep: a slice each, then slice by slice to the
// largest remaining gap. Slices come in the order of the turns.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "sweep/plan.h"
#include "trial/trial.h"

namespace rooftune::sweep {

/// A turn of one study, and the study's state after it.
struct Slice {
  std::string study;                       ///< PlannedStudy::name
  double seconds = 0;                      ///< [s] charged to the total
  double searched = 0;                     ///< [s] of all trials of the study so far
  std::optional<double> gap = {};          ///< of the best; absent: nothing was measured
  std::optional<StopReason> stopped = {};  ///< why more time is of no use; absent: it may be
  bool failed = false;                     ///< the study did
  static void fields(auto& self, auto& visit) {
    visit("study", self.study)("seconds", self.seconds)("searched", self.searched);
    visit("gap", self.gap)("stopped", self.stopped)("failed", self.failed);
    visit.check("seconds", self.seconds >= 0, "must not be negative");
  }
  bool goes_on() const { return !stopped && !failed; }
};

/// The next study, and its search time at the end of the turn.
struct Turn {
  std::size_t study = 0;  ///< position in the plan
  double length = 0;      ///< [s] of this turn
  double until = 0;       ///< [s] of all trials of the study
};

/// The rule, a pure function: every study once, in the order of the plan; then the one with the
/// largest log(gap / target gap) x 1/2 per slice since its best last improved by 1 %. nullopt when
/// the total is spent or no study can use more. Needs `plan.budget`.
std::optional<Turn> next_turn(const Plan& plan, const std::vector<Slice>& taken);

/// [s] of `plan.budget` used by the slices.
double charged(const std::vector<Slice>& taken);
/// The slices of one study.
std::vector<Slice> slices_of(const std::vector<Slice>& taken, const std::string& study);

}  // namespace rooftune::sweep
