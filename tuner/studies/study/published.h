// The literature's steps: raced after the search, and their staircase in the result.
#pragma once
#include "kernel/published_path.h"
#include "study/result.h"
#include "study/stages.h"
#include "trial/race.h"

namespace rooftune::study {

/// Ceilings and walls between two times, intervals and all, as the ledger of two such steps has
/// them.
std::vector<LedgerEntry> broken(const StudyResult& report, const Estimate& before,
                                const Estimate& now, const std::vector<Step::Change>& changes);

/// Interleaved rounds of the steps that ran, on record; nothing for fewer than two.
void race_published_steps(StageContext& context);

/// Outcome of every step. `race`: of race_published_steps.
Staircase staircase(const StudyResult& report, const PublishedPath& path, const SearchSpace& space,
                    const History& history, const std::optional<Race>& race);

}  // namespace rooftune::study
