// What a study knows before its first trial: what its bound asks for, what no configuration can
// beat, and what was best elsewhere.
#pragma once
#include <filesystem>
#include <optional>

#include "search/pruning.h"
#include "search/strategy.h"
#include "study/prepare.h"
#include "trial/transfer.h"

namespace rooftune::inline study {

/// The paradigms that the bounds and walls of any input ask for.
Knowledge knowledge_of(const PreparedStudy& study);

/// Times of the objective that configurations cannot beat; the study must outlive it. Throws Error
/// when the search space states something about a wall that the kernel does not have.
LeastTimeOf least_times(const PreparedStudy& study);

/// The knobs on which these times depend.
std::set<std::string> bound_knobs(const PreparedStudy& study);

/// What the study was told of others when it first asked (`stored`); else, when `wanted`, the
/// fastest trials of other studies of the kernel in `results`, as far as `space` allows them: the
/// best of each, then the second of each; those of the same machine before others.
std::optional<Transfer> transfer_of(const SearchSpace& space, const StudyHeader& header,
                                    bool wanted, const std::optional<StudyRecord>& stored,
                                    const std::filesystem::path& results);

}  // namespace rooftune::inline study
