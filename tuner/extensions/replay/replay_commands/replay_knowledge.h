// Knowledge of a recorded space before its first trial, from the records of another card, size or
// night. Records are of the same kernel: knobs are matched by name and value.
#pragma once
#include <vector>

#include "replay/replay.h"
#include "search/strategy.h"

namespace rooftune::replay_commands {

struct TransferredKnowledge {
  Knowledge knowledge;
  std::uint64_t shared = 0;  ///< configurations on both sides
};
/// Throws Error when no configuration is on both sides.
TransferredKnowledge transferred_knowledge(const Recording& other, const Replay& target);

/// Knobs with the number of threads of a block as their product: those of `named` in the recording,
/// else those of the community's convention; without either none.
std::vector<std::string> recorded_block_knobs(const Recording& recording,
                                              const std::vector<std::string>& named);
/// Throws Error unless each of `named` is a knob of one of the files' recordings at least and all
/// its values there are positive numbers.
void check_block_knobs(const std::vector<std::string>& files,
                       const std::vector<Recording>& recordings,
                       const std::vector<std::string>& named);

}  // namespace rooftune::replay_commands
