// A study's records turned into the report of the study; the same for a run that just ended and an
// old one.
#pragma once
#include "report/study_report.h"
#include "session.h"
#include "store/record_store.h"
#include "trial/race.h"

namespace rooftune {

/// Reads the kernel and space again from where they were; throws Error when they are gone, and
/// notes it when their contents have changed since.
/// Of a study of several inputs it is about one: number `input`, from 1; 0: the farthest from its
/// bound. Throws Error for an input that the study does not have.
StudyReport assemble(const StoredStudy& study, const std::string& record_file,
                     std::size_t input = 0);
/// The latest race of a study.
std::optional<Race> stored_race(const StoredStudy& study);
/// The counting runs of the study; empty when nothing was counted. `event`: see event_of.
std::vector<CountedRun> stored_counts(const StoredStudy& study,
                                      const std::string& event = "counts");
/// The latest race and ablation.
Finish stored_finish(const StoredStudy& study);

}  // namespace rooftune
