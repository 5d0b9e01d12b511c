// What a study knows before its first trial: what to try first, paradigms for its bound, least
// times of configurations, and the best from elsewhere.
#pragma once
#include <filesystem>
#include <optional>

#include "search/pruning.h"
#include "search/strategy.h"
#include "study/prepare.h"

namespace rooftune::study {

/// What to try before the search, each once: the published path's steps that this machine allows,
/// in order, then `own_starts`.
Configurations first_configurations(const PreparedStudy& study);

/// The paradigms that any input's bound or walls need, and a GPU's block knobs.
Knowledge knowledge_of(const PreparedStudy& study);

/// The least possible time of a configuration, for the objective; the study must outlive it. Throws
/// Error if the search space states something about a wall that the kernel does not know.
LeastTimeOf least_times(const PreparedStudy& study);

/// The knobs on which least_times() depends.
TextSet bound_knobs(const PreparedStudy& study);

/// What other studies know: for a study on record (`stored`), what it began with. Else, unless the
/// spec turns it off, the fastest from the kernel's other studies in `results` and in the shipped
/// files, where the space allows them: every source's best, then each source's second, sources with
/// the nearest machine and problem first. nullopt without any knowledge. Throws Error for an
/// unreadable shipped file.
std::optional<Transfer> transfer_of(const PreparedStudy& study,
                                    const std::optional<StudyRecord>& stored,
                                    const fs::path& results);

}  // namespace rooftune::study
