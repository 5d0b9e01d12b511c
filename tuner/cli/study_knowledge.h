// What a study knows before its first trial: the binding ceiling, and what was best elsewhere.
// The caller owes a study that is ready.
#pragma once
#include <filesystem>

#include "cli/study.h"
#include "search/knowledge.h"
#include "search/pruning.h"

namespace rooftune {

/// `transfer`: the fastest trials of other studies of the kernel in `results` come first, those of
/// the same machine before others.
Knowledge study_knowledge(const ReadyStudy& study, const std::filesystem::path& results,
                          bool transfer);

/// Times that configurations of the study cannot beat. Throws Error when the search space states
/// something about a wall that the kernel does not have. The study must outlive it.
LeastTimeOf least_times(const ReadyStudy& study);

}  // namespace rooftune
