// The configurations that a report speaks of, with gap, counts, and what contradicts what.
// The caller has filled machine, model and counting runs of the report before.
#pragma once
#include "report/study_report.h"
#include "trial/history.h"

namespace rooftune {

/// A measured trial with the time that the report states for it.
Contender contender(const StudyReport& report, const Trial& trial, const Estimate& seconds);

/// What was counted of a configuration, one entry per provider.
std::vector<Counts> counts_of(const StudyReport& report, const Configuration& configuration);

/// `sample`: what else was counted and ran; best and baseline are there.
void fill_sample(StudyReport& report, const History& history);

/// `flags` of best, baseline and sample, in this order.
void fill_flags(StudyReport& report);

}  // namespace rooftune
