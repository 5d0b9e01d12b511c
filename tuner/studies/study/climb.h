// The staircase of the best that was found: steps from the baseline, untried values beside it, and
// one race of them all and of the other finalists.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "space/knob.h"
#include "study/search_loop.h"
#include "trial/staircase.h"

namespace rooftune::study {

/// Trial::because of a step, and of a value tried beside the winner.
inline constexpr const char *because_step = "staircase", *because_next = "next";

/// What a climb works with. Everything referred to must outlive it.
struct ClimbSetting {
  const SearchSpace& space;
  Evaluator& evaluator;
  const Recorder& recorder;
  const Schedule& schedule;
  const SearchOptions& options;
  /// Makes a trial with the reason `because`, on record.
  std::function<void(const Configuration&, const char* because)> evaluate;
};

/// The staircase of `found` within the part of the schedule. Its steps and the values tried beside
/// it become trials; its race has the `rivals` too, other finalists, as far as
/// half of the time has them. Without
/// time for a race it has no rounds, and `shortened_because` says so. nullopt: a configuration was
/// refuted. Throws Interrupted.
std::optional<StaircaseRace> climb(const ClimbSetting& setting, const Configuration& found,
                                   const Configurations& rivals);

}  // namespace rooftune::study
