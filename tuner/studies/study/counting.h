// Counting runs of a finished search: what the best, the baseline and a sample really did. All is
// timed before; nothing here is part of a time.
#pragma once
#include <optional>
#include <vector>

#include "study/stages.h"

namespace rooftune::study {

/// Configurations worth counting: the best (of the race where there was one) first, then the
/// baseline; those that were measured.
std::vector<Configuration> worth_counting(const StudyRecord& study, const Configuration& baseline);

/// `n` others that ran, spread over the ranks of the measured times, without those of `known` and
/// what `earlier` counted beside these; fewer when earlier runs counted some, or no more ran.
std::vector<Configuration> sample_to_count(const History& history,
                                           const std::vector<Configuration>& known,
                                           const std::vector<CountedRun>& earlier, std::size_t n);

/// Counts the best, the baseline, the other sides of the best's experiments and a sample on every
/// input, with each provider that was chosen, unless an earlier run did. All of it takes a tenth of
/// the wall time that the user gave, else of what the trials took, and at least 10 s.
void count(StageContext& context);

}  // namespace rooftune::study
