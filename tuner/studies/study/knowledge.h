// Knowledge of a study before its first trial: what to try first, paradigms for its bound, least
// times of configurations, and the best from elsewhere.
#pragma once
#include <filesystem>
#include <optional>

#include "search/pruning.h"
#include "search/strategy.h"
#include "study/prepare.h"

namespace rooftune::study {

/// What to try before the search, each once: the steps of the published path that this machine
/// allows, in order, then `own_starts`.
Configurations first_configurations(const PreparedStudy& study);

/// The paradigms for the bounds and walls of any input.
Knowledge knowledge_of(const PreparedStudy& study);

/// Least possible times of configurations, for the objective; the study must outlive it. Throws
/// Error for a statement of the search space about a wall unknown to the kernel.
LeastTimeOf least_times(const PreparedStudy& study);

/// The knobs behind these times.
TextSet bound_knobs(const PreparedStudy& study);

/// Other studies' knowledge at the begin of the study, if any (`stored`). Else, unless the spec
/// turns it off, the fastest in other studies of the kernel in `results` and in the shipped files,
/// as far as the space allows it: of the nearest machine and problem first, the best of each, then
/// the second of each. nullopt without any knowledge. Throws Error for an unreadable shipped file.
std::optional<Transfer> transfer_of(const PreparedStudy& study,
                                    const std::optional<StudyRecord>& stored,
                                    const fs::path& results);

}  // namespace rooftune::study
