#include "search/certainty.h"

namespace rooftune {

std::optional<double> sure(const Strategy& strategy, const SearchSpace& space,
                           const History& history, const Certainty& certainty) {
  const auto chance = strategy.chance_left(space, history, certainty.share);
  if (!chance || *chance > 1 - certainty.confidence) return std::nullopt;
  return chance;
}

}  // namespace rooftune
