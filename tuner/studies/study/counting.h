// Counting runs after the search: the real work and traffic of the best, the baseline and a sample.
// All is timed before; nothing here is part of a time.
#pragma once
#include <optional>
#include <vector>

#include "study/stages.h"

namespace rooftune::study {

/// Measured configurations worth counting: the best (of the race if there was one) first, then the
/// baseline.
std::vector<Configuration> worth_counting(const StudyRecord& study, const Configuration& baseline);

/// `n` others that ran, spread over the ranks of the measured times, without those of `known` and
/// those of `earlier`; fewer when earlier runs counted some, or too few ran.
std::vector<Configuration> sample_to_count(const History& history,
                                           const std::vector<Configuration>& known,
                                           const std::vector<CountedRun>& earlier, std::size_t n);

/// Counts the best, the baseline, the other sides of the best's experiments and a sample on every
/// input, with each chosen provider, except for counts of an earlier run. All of it takes a tenth
/// of the user's wall time, else of the time of the trials, and at least 10 s.
void count(StageContext& context);

}  // namespace rooftune::study
