// What a study knows before its first trial: the binding ceiling, and what was best elsewhere.
// The caller owes a study that is ready.
#pragma once
#include <filesystem>

#include "cli/study.h"
#include "search/strategy.h"
#include "search/pruning.h"
#include "trial/transfer.h"

namespace rooftune {

/// The paradigms that the study's bound and walls ask for.
Knowledge study_knowledge(const ReadyStudy& study);

/// What the study was told of others when it first asked (`stored`); else, when `wanted`, the
/// fastest trials of other studies of the kernel in `results`, as far as `space` allows them: the
/// best of each, then the second of each; those of the same machine before others.
std::optional<Transfer> transfer_of(const SearchSpace& space, const StudyHeader& header,
                                    bool wanted, const std::optional<StoredStudy>& stored,
                                    const std::filesystem::path& results);

/// Times that configurations of the study cannot beat. Throws Error when the search space states
/// something about a wall that the kernel does not have. The study must outlive it.
LeastTimeOf least_times(const ReadyStudy& study);

}  // namespace rooftune
