// The configurations of a report, with gap, counts and contradictions. Machine, model and counting
// runs of the result are filled before.
#pragma once
#include "store/study_record.h"
#include "study/result.h"

namespace rooftune::study {

/// A measured trial with its time in the report. `no_counters`: reason for missing counts where no
/// provider tried.
Contender contender(const StudyResult& report, const Trial& trial, const Estimate& seconds,
                    const std::string& no_counters);

/// Counts of a configuration, one entry per provider.
std::vector<Counts> counts_of(const StudyResult& report, const Configuration& configuration);

/// `sample`: other counted configurations that ran; best and baseline are already there.
void fill_sample(StudyResult& report, const StudyRecord& study);

/// `flags` of best, baseline and sample, in this order.
void fill_flags(StudyResult& report);

}  // namespace rooftune::study
