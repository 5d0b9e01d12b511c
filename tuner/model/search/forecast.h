// What the trials of a study say of configurations that were not tried.
#pragma once
#include <vector>

#include "space/search_space.h"
#include "trial/history.h"

namespace rooftune::search {

/// Of each of these allowed configurations the mean of its gain over the best trial, 0 where it is
/// worse: a share of the figure ranked by, small ones its logarithm. By a Gaussian process learnt
/// from at most 120 trials, the best ones among them. Empty where fewer than eight ran.
std::vector<double> expected_gains(const SearchSpace& space, const History& history,
                                   const std::vector<Configuration>& configurations);

}  // namespace rooftune::search
