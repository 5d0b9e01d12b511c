#include "search/untried.h"

#include <algorithm>
#include <vector>

namespace rooftune {
namespace {

/// Draws turned down at the wish of the caller.
constexpr int most_refusals = 30;

/// The k-th untried index, k uniform: exact however few are left.
std::optional<Configuration> counted_draw(const SearchSpace& space, const History& history,
                                          Rng& rng) {
  // Where nothing is counted, so many draws of what was tried are all that can be known.
  if (!space.counted()) return std::nullopt;
  std::vector<std::uint64_t> tried;
  for (const auto& trial : history.trials())
    if (const auto index = space.index(trial.configuration)) tried.push_back(*index);
  std::sort(tried.begin(), tried.end());
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  if (tried.size() >= space.size()) return std::nullopt;
  std::uint64_t index = rng.below(space.size() - tried.size());
  for (const std::uint64_t taken : tried) {
    if (taken > index) break;
    ++index;
  }
  return space.configuration(index);
}

}  // namespace

std::optional<Configuration> random_untried(
    const SearchSpace& space, const History& history, Rng& rng,
    const std::function<bool(const Configuration&)>& wanted) {
  int refusals = wanted ? most_refusals : 0;
  for (int draw = 0; draw < most_draws; ++draw) {
    Configuration configuration = space.sample(rng);
    if (history.tried(configuration)) continue;
    if (refusals == 0 || wanted(configuration)) return configuration;
    --refusals;
  }
  return counted_draw(space, history, rng);
}

}  // namespace rooftune
