// When a search may end because it is sure, in a study as in a replay.
#pragma once
#include <optional>

#include "search/strategy.h"

namespace rooftune {

/// Enough is known: with this confidence no untried configuration is faster than the best by more
/// than the share, in the model of the strategy.
struct Certainty {
  double share = 0.05, confidence = 0.95;
};

/// The chance that more than the share is left, when it is small enough to stop; else nullopt.
std::optional<double> sure(const Strategy& strategy, const SearchSpace& space,
                           const History& history, const Certainty& certainty);

}  // namespace rooftune
