// Knowledge of a recorded space before its first trial, from the records of another card, size or
// night. Records are of the same kernel: knobs are matched by name and value.
#pragma once
#include <optional>
#include <vector>

#include "replay/replay.h"
#include "roofline/machine.h"
#include "search/strategy.h"

namespace rooftune::replay_commands {

/// Lower bounds compared with every recorded time, the optimum being the incumbent.
struct PruningCheck {
  std::string machine;                 ///< of the bounds
  std::uint64_t counted = 0;           ///< configurations run here and counted there
  std::uint64_t excluded = 0;          ///< of them: the bound is above the optimum
  std::uint64_t wrongly_excluded = 0;  ///< of those: ran as fast as the optimum
  std::uint64_t beaten = 0;            ///< ran faster than the bound: the counts do not hold here
  static void fields(auto& self, auto& visit) {
    visit("machine", self.machine)("counted", self.counted)("excluded", self.excluded);
    visit("wrongly_excluded", self.wrongly_excluded)("beaten", self.beaten);
  }
};

struct TransferredKnowledge {
  Knowledge knowledge;                ///< refers to the target
  std::uint64_t shared = 0;           ///< configurations on both sides
  std::optional<PruningCheck> check;  ///< nullopt when no configuration has a bound
};
/// `machine`: the card of the recording `target`; without it nothing is bounded. Throws Error when
/// no configuration is on both sides.
TransferredKnowledge transferred_knowledge(const Recording& other, const Replay& target,
                                           const std::optional<Machine>& machine);

/// Knobs with the number of threads of a block as their product: those of `named` in the recording,
/// else those of the community's convention; without either none, as in Rooftune's own records,
/// with names independent of a GPU.
std::vector<std::string> recorded_block_knobs(const Recording& recording,
                                              const std::vector<std::string>& named);
/// Throws Error unless each of `named` is a knob of one of the files' recordings at least and all
/// its values there are positive numbers.
void check_block_knobs(const std::vector<std::string>& files,
                       const std::vector<Recording>& recordings,
                       const std::vector<std::string>& named);

}  // namespace rooftune::replay_commands
