// Experiments of a finished search: what walls of traffic cost the best and the baseline.
// The caller has timed everything; counting comes afterwards.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/study.h"
#include "report/study_report.h"
#include "trial/experiment.h"
#include "trial/race.h"

namespace rooftune {

/// What `tune` was asked for, as far as experiments go.
struct ExperimentOptions {
  StudyOptions study;   ///< as it was made ready
  double seconds = 15;  ///< all experiments together
};

/// Experiments are made unless --no-experiments forbids them or the run is too short for them (the
/// rule of the anchors); the reason why not, or empty.
std::string why_no_experiments(const TuneOptions& options, const Budget& budget);
/// Wall time of all experiments: a tenth of the budget, at least 15 s.
double experiment_seconds(const Budget& budget);

/// Measures what `earlier` did not measure already, of the best and the baseline. A step of size is
/// a study of its own: its problem is loaded and the best validated on it.
std::vector<Experiment> experiments(ReadyStudy& study, const History& history,
                                    const std::optional<Race>& race,
                                    const std::vector<Experiment>& earlier,
                                    const ExperimentOptions& options,
                                    const std::function<void(const std::string&)>& say);

/// The other sides of the best's experiments, which are worth counting beside the best.
std::vector<Configuration> other_sides(const std::vector<Experiment>& experiments);

/// `event`: see event_of.
std::vector<Experiment> stored_experiments(const StoredStudy& study,
                                           const std::string& event = "experiments");
/// Fills `walls` of a report whose contenders and counts are there.
void fill_walls(StudyReport& report, const StoredStudy& study);

}  // namespace rooftune
