// Plans a staircase's steps: which changed knobs move together, and in which order.
#pragma once
#include <string>
#include <vector>

#include "space/knob.h"
#include "space/search_space.h"
#include "trial/trial.h"

namespace rooftune::search {

/// A knob whose value differs between baseline and winner.
struct KnobGain {
  std::string name;
  /// Logarithm of the speed-up that a model fitted to the trials expects from the change; 0 where
  /// too few ran.
  double gain = 0;
};
using KnobGains = std::vector<KnobGain>;

/// The largest expected gain first, where half of usual_gain() counts as well; without a model in
/// the space's order.
KnobGains changed_knobs(const SearchSpace& space, const History& history,
                        const Configuration& baseline, const Configuration& winner);

/// Allowed configurations from the baseline (first) to the winner (last). Neighbours differ by one
/// knob, or by the fewest that can change together, the largest expected gain first. At most `most`
/// steps of 2 % and more; the rest are two steps, or one, so that the race shows which small
/// changes are not needed.
Configurations planned_stairs(const SearchSpace& space, const KnobGains& changed,
                              const Configuration& baseline, const Configuration& winner,
                              size_t most);

}  // namespace rooftune::search
