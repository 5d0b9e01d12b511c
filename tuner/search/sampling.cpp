#include "search/sampling.h"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

constexpr int draws = 40;
/// Being expected to take e times as long counts as two knobs at values that were tried before.
constexpr double expected_weight = 2;

/// By knob and value: 0 in the middle of an ordered knob to 1 at its ends, 0 for other knobs.
std::vector<std::vector<double>> outwardness(const SearchSpace& space,
                                             const std::set<std::size_t>& except) {
  std::vector<std::vector<double>> all;
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const Knob& knob = space.knobs()[k];
    const std::size_t n = knob.values.size();
    std::vector<double> one(n);
    const bool ordered = n > 2 && except.count(k) == 0 &&
                         std::all_of(knob.values.begin(), knob.values.end(),
                                     [](auto& v) { return v.is_number() && !v.is_bool(); });
    for (std::size_t v = 0; ordered && v < n; ++v)
      one[v] = std::abs(2 * static_cast<double>(v) / static_cast<double>(n - 1) - 1);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::optional<std::uint64_t> covering_draw(const SearchState& seen, Rng& rng,
                                           const Preference& preference) {
  std::vector<std::vector<double>> used;
  for (const Knob& knob : seen.space.knobs()) used.emplace_back(knob.values.size());
  for (const Observation& observed : seen.all())
    for (std::size_t k = 0; k < used.size(); ++k) used[k][observed.point[k]] += 1;
  // Values that are tried evenly count `trials` for each knob: an end weighs as much.
  const auto trials = static_cast<double>(seen.all().size());
  const auto outward = preference.ends ? outwardness(seen.space, preference.judged)
                                       : std::vector<std::vector<double>>();
  std::optional<std::uint64_t> best;
  double least = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto index = seen.random_untried(rng);
    if (!index) return best;
    const Assignment point = seen.space.assignment(*index);
    double sum = 0;
    for (std::size_t k = 0; k < used.size(); ++k)
      sum += used[k][point[k]] * static_cast<double>(used[k].size());
    for (std::size_t k = 0; k < outward.size(); ++k) sum -= trials * outward[k][point[k]];
    if (preference.expected) sum += trials * expected_weight * preference.expected(point);
    if (best && sum >= least) continue;
    best = index;
    least = sum;
  }
  return best;
}

}  // namespace rooftune
