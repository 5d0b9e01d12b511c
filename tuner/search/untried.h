// Configurations that were not tried: how many are left, and a uniform draw from them.
// The history may hold configurations of another space; they do not count.
#pragma once
#include <optional>

#include "core/rng.h"
#include "space/search_space.h"
#include "trial/history.h"

namespace rooftune {

/// Draws before the untried are counted one by one; enough while 5 % of the space are left.
constexpr int most_draws = 60;

/// Uniform over the configurations of `space` that `history` lacks; nullopt when none is left.
/// `wanted` turns draws down that the caller would rather leave for later; it is asked a bounded
/// number of times, so that an unwanted configuration comes when nothing else is found.
std::optional<Configuration> random_untried(
    const SearchSpace& space, const History& history, Rng& rng,
    const std::function<bool(const Configuration&)>& wanted = {});

}  // namespace rooftune
