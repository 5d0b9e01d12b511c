// The staircase up to the best that was found: steps from the baseline, untried values beside the
// best, and one race for them all and the other finalists.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "space/knob.h"
#include "study/search_loop.h"
#include "trial/staircase.h"

namespace rooftune::study {

/// Trial::because for a step, and for a value tried beside the winner.
inline constexpr const char *because_step = "staircase", *because_next = "next";

/// A climb's search. Everything that it refers to must outlive it.
struct ClimbSetting : SearchSetting {
  const SearchOptions& options;
  /// Makes a trial with the reason `because`, on record.
  std::function<void(const Configuration&, const char* because)> evaluate;
};

/// The staircase up to `found`, within its part of the schedule. Its steps and the values tried
/// beside it become trials. The `rivals`, other finalists, race along, as many as fit into half the
/// time. Without time for a race, the staircase has no rounds, and `shortened_because` says so.
/// nullopt: a configuration was refuted. Throws Interrupted.
std::optional<StaircaseRace> climb(const ClimbSetting& setting, const Configuration& found,
                                   const Configurations& rivals);

}  // namespace rooftune::study
