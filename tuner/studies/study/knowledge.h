// What a study knows before its first trial: what its bound asks for, what no configuration can
// beat, and what was best elsewhere.
#pragma once
#include <filesystem>
#include <optional>

#include "search/pruning.h"
#include "search/strategy.h"
#include "study/prepare.h"
#include "trial/transfer.h"

namespace rooftune::study {

/// The paradigms that the bounds and walls of any input ask for.
Knowledge knowledge_of(const PreparedStudy& study);

/// Times of the objective that configurations cannot beat; the study must outlive it. Throws Error
/// when the search space states something about a wall that the kernel does not have.
LeastTimeOf least_times(const PreparedStudy& study);

/// The knobs on which these times depend.
std::set<std::string> bound_knobs(const PreparedStudy& study);

/// What the study was told of others when it began, if it did (`stored`). Else, unless the spec
/// turns it off, what was fastest in other studies of the kernel in `results` and in the files that
/// come with Rooftune, as far as the space allows it: of the nearest machine and problem first, the
/// best of each, then the second of each. nullopt where nothing is known. Throws Error for such a
/// file that cannot be understood.
std::optional<Transfer> transfer_of(const PreparedStudy& study,
                                    const std::optional<StudyRecord>& stored,
                                    const std::filesystem::path& results);

}  // namespace rooftune::study
