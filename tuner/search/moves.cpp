#include "search/moves.h"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

/// Constraints refuse most points that arithmetic makes; beyond this a random one serves as well.
constexpr int most_attempts = 50;

}  // namespace

std::vector<std::uint64_t> open_neighbours(const SearchState& seen, const Assignment& point) {
  std::vector<std::uint64_t> open;
  for (const Assignment& neighbour : seen.space.neighbours(point))
    if (const auto index = seen.open(neighbour)) open.push_back(*index);
  return open;
}

std::optional<std::uint64_t> first_open(const SearchState& seen,
                                        const std::function<Assignment()>& make) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Assignment point = make();
    seen.space.normalise(point);
    if (const auto index = seen.open(point)) return index;
  }
  return std::nullopt;
}

Assignment perturbed(const SearchSpace& space, Assignment point, std::uint64_t changes, Rng& rng) {
  std::vector<std::size_t> movable;
  for (std::size_t k = 0; k < space.knobs().size(); ++k)
    if (space.knobs()[k].values.size() > 1) movable.push_back(k);
  for (; changes > 0 && !movable.empty(); --changes) {
    const auto at = static_cast<std::ptrdiff_t>(rng.below(movable.size()));
    const std::size_t k = movable[static_cast<std::size_t>(at)];
    movable.erase(movable.begin() + at);
    const auto other = static_cast<std::uint32_t>(rng.below(space.knobs()[k].values.size() - 1));
    point[k] = other < point[k] ? other : other + 1;
  }
  return point;
}

std::vector<const Observation*> fastest(const SearchState& seen, std::size_t n) {
  std::vector<const Observation*> ran;
  for (const Observation& observed : seen.all())
    if (observed.ok && seen.find(observed.index) == &observed) ran.push_back(&observed);
  std::stable_sort(ran.begin(), ran.end(), [](const Observation* a, const Observation* b) {
    return a->seconds < b->seconds;
  });
  if (ran.size() > n) ran.resize(n);
  return ran;
}

std::uint32_t rounded(double x, std::size_t values) {
  const double most = static_cast<double>(values - 1);
  return static_cast<std::uint32_t>(std::lround(std::clamp(x, 0.0, most)));
}

}  // namespace rooftune
