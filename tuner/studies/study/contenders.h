// The configurations that a report speaks of, with gap, counts, and what contradicts what.
// Machine, model and counting runs of the result are filled before.
#pragma once
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// A measured trial with the time that the report states for it. `no_counters`: why it has no
/// counts when nobody tried to count it.
Contender contender(const StudyResult& report, const Trial& trial, const Estimate& seconds,
                    const std::string& no_counters);

/// What was counted of a configuration, one entry per provider.
std::vector<Counts> counts_of(const StudyResult& report, const Configuration& configuration);

/// `sample`: what else was counted and ran; best and baseline are there.
void fill_sample(StudyResult& report, const StudyRecord& study);

/// `flags` of best, baseline and sample, in this order.
void fill_flags(StudyResult& report);

}  // namespace rooftune::study
