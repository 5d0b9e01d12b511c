// Knowledge of a recorded space before its first trial, from the records of another card, size or
// night. Records are of the same kernel: knobs are matched by name and value.
#pragma once
#include <optional>
#include <vector>

#include "replay/replay.h"
#include "roofline/counted_bound.h"
#include "search/strategy.h"

namespace rooftune::replay_commands {

/// Lower bounds compared with every recorded time, the optimum being the incumbent.
struct PruningCheck {
  std::uint64_t counted = 0;   ///< configurations run here and counted there
  std::uint64_t hopeless = 0;  ///< of them: the bound is above the optimum
  std::uint64_t wrong = 0;     ///< of those: ran as fast as the optimum
  std::uint64_t beaten = 0;    ///< ran faster than the bound: the counts do not hold here
};

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

class ReplayKnowledge {
 public:
  /// `machine`: the card of the recording `target`; without it nothing is bounded.
  ReplayKnowledge(const Recording& other, const Replay& target,
                  const std::optional<Machine>& machine);
  /// For the strategy; refers to this object.
  Knowledge knowledge() const;
  /// nullopt when no configuration has a bound.
  std::optional<PruningCheck> check(const Replay& target) const;
  std::size_t shared() const { return shared_; }  ///< configurations on both sides

 private:
  std::vector<Configuration> fastest_;
  std::vector<std::optional<CountedBound>> bounds_;  ///< by index in the space of the target
  SearchSpace space_;
  std::size_t shared_ = 0;
};

}  // namespace rooftune::replay_commands
