// Experiments after the search: the cost of walls of traffic for the best and the baseline.
#pragma once
#include <string>
#include <vector>

#include "study/stages.h"
#include "trial/experiment.h"

namespace rooftune::study {

/// Reason for a study without experiments: its spec, or too little time; empty for one with them.
std::string why_no_experiments(const StudySpec& spec);

/// Measures the missing ones, of the best and the baseline on every input. A step of size is a
/// separate input: its problem is loaded and the best validated on it.
void experiment(StageContext& context);

/// The other sides of the best's experiments, worth counting beside the best.
std::vector<Configuration> other_sides(const std::vector<Experiment>& experiments);

}  // namespace rooftune::study
