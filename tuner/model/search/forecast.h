// What the trials of a study say of configurations that were not tried.
#pragma once
#include <vector>

#include "space/search_space.h"
#include "trial/history.h"

namespace rooftune::search {

struct Forecast {
  double chance = 0;  ///< of being better than the best trial
  double gain = 0;    ///< expected, in the logarithm of the figure ranked by; 0 where it is worse
};

/// Of each of these allowed configurations, by a Gaussian process learnt from at most 120 trials,
/// the best ones among them. Empty where fewer than eight ran.
std::vector<Forecast> forecasts(const SearchSpace& space, const History& history,
                                const std::vector<Configuration>& configurations);

}  // namespace rooftune::search
