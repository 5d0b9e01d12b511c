// `tune --path published`: the literature's steps before the search, and their staircase after it.
#pragma once
#include "cli/options.h"
#include "cli/study.h"
#include "report/study_report.h"
#include "trial/race.h"

namespace rooftune {

/// The path of a kernel and back end. Throws Error naming what has one when there is none.
PublishedPath required_path(const Kernel& kernel, const std::string& backend);
/// The options with the publication's problem where the user chose no value.
StudyOptions with_published_problem(const StudyOptions& options);
/// Those steps that this machine allows, in order, each once.
std::vector<Configuration> steps_to_try(const ReadyStudy& study);
/// Interleaved rounds of the steps that ran; nullopt when fewer than two did.
std::optional<Race> race_of_steps(ReadyStudy& study, const History& history);

/// What happened to every step. `race`: of race_of_steps.
Staircase staircase(const StudyReport& report, const PublishedPath& path, const SearchSpace& space,
                    const History& history, const std::optional<Race>& race);

}  // namespace rooftune
