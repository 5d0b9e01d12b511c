// What a study knows before its first trial: the binding ceiling, and what was best elsewhere.
// The caller owes a study that is ready.
#pragma once
#include <filesystem>

#include "cli/study.h"
#include "search/knowledge.h"

namespace rooftune {

/// `transfer`: the fastest trials of other studies of the kernel in `results` come first, those of
/// the same machine before others.
Knowledge study_knowledge(const ReadyStudy& study, const std::filesystem::path& results,
                          bool transfer);

}  // namespace rooftune
