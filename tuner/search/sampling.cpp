#include "search/sampling.h"

namespace rooftune {
namespace {

constexpr int draws = 40;

}  // namespace

std::optional<std::uint64_t> covering_draw(const Seen& seen, Rng& rng) {
  std::vector<std::vector<double>> used;
  for (const Knob& knob : seen.space.knobs()) used.emplace_back(knob.values.size());
  for (const Observed& observed : seen.all())
    for (std::size_t k = 0; k < used.size(); ++k) used[k][observed.point[k]] += 1;
  std::optional<std::uint64_t> best;
  double least = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto index = seen.random_untried(rng);
    if (!index) return best;
    const Assignment point = seen.space.assignment(*index);
    double sum = 0;
    for (std::size_t k = 0; k < used.size(); ++k)
      sum += used[k][point[k]] * static_cast<double>(used[k].size());
    if (best && sum >= least) continue;
    best = index;
    least = sum;
  }
  return best;
}

}  // namespace rooftune
