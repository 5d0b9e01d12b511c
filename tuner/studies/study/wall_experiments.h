// Experiments of a finished search: what walls of traffic cost the best and the baseline.
#pragma once
#include <string>
#include <vector>

#include "study/stages.h"
#include "trial/experiment.h"

namespace rooftune::study {

/// Why a study makes no experiments: it was told so, or is too short for them; empty when it does.
std::string why_no_experiments(const StudySpec& spec);

/// Measures what no earlier run did, of the best and the baseline on every input. A step of size
/// is an input of its own: its problem is loaded and the best validated on it.
void experiment(StageContext& context);

/// The other sides of the best's experiments, which are worth counting beside the best.
std::vector<Configuration> other_sides(const std::vector<Experiment>& experiments);

}  // namespace rooftune::study
