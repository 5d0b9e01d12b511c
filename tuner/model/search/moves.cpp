// Moves: from the seen trials to a configuration worth a trial.
#include <algorithm>
#include <cmath>

#include "search/search_state.h"

namespace rooftune::search {
namespace {

constexpr int draws = 40;
/// An expected slowdown of e counts as two knobs at values already tried.
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

std::vector<std::uint64_t> open_neighbours(const SearchState& state, const Assignment& point) {
  std::vector<std::uint64_t> open;
  for (const Assignment& neighbour : state.space.neighbours(point))
    if (const auto index = state.open(neighbour)) open.push_back(*index);
  return open;
}

std::optional<std::uint64_t> first_open(const SearchState& state,
                                        const std::function<Assignment()>& make,
                                        const Acceptance& acceptance) {
  for (int attempt = 0; attempt < acceptance.attempts; ++attempt) {
    Assignment point = make();
    state.space.normalise(point);
    const auto index = state.open(point);
    if (index && (!acceptance.wanted || acceptance.wanted(point))) return index;
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

std::vector<const Observation*> fastest(const SearchState& state, std::size_t n) {
  std::vector<const Observation*> ran;
  for (const Observation& observed : state.all())
    if (observed.ok && state.find(observed.index) == &observed) ran.push_back(&observed);
  std::ranges::stable_sort(ran, {}, [](const Observation* o) { return o->seconds; });
  if (ran.size() > n) ran.resize(n);
  return ran;
}

ChangedKnob::ChangedKnob(const SearchSpace& space)
    : defaults_(space.assignment(space.index(space.baseline()).value())) {
  const std::vector<Knob>& knobs = space.knobs();
  const std::size_t n = knobs.size();
  depends_.assign(n, std::vector<bool>(n));
  for (std::size_t k = 0; k < n; ++k)
    for (const std::string& name : knobs[k].active.names())
      for (std::size_t other = 0; other < n; ++other)
        if (knobs[other].name == name) depends_[k][other] = true;
  for (std::size_t between = 0; between < n; ++between)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t other = 0; depends_[k][between] && other < n; ++other)
        if (depends_[between][other]) depends_[k][other] = true;
}

std::optional<std::size_t> ChangedKnob::operator()(const Assignment& from,
                                                   const Assignment& to) const {
  std::vector<std::size_t> different;
  for (std::size_t k = 0; k < from.size(); ++k)
    if (from[k] != to[k]) different.push_back(k);
  for (const std::size_t changed : different)
    if (std::all_of(different.begin(), different.end(), [&](std::size_t other) {
          return other == changed || (to[other] == defaults_[other] && depends_[other][changed]);
        }))
      return changed;
  return std::nullopt;
}

std::optional<std::uint64_t> covering_draw(const SearchState& state, Rng& rng,
                                           const Preference& preference) {
  std::vector<std::vector<double>> used;
  for (const Knob& knob : state.space.knobs()) used.emplace_back(knob.values.size());
  // Values tried evenly count `trials` for each knob: an end weighs as much.
  double trials = 0;
  for (const Observation& observed : state.all()) {
    if (preference.apart.count(observed.index) != 0) continue;
    ++trials;
    for (std::size_t k = 0; k < used.size(); ++k) used[k][observed.point[k]] += 1;
  }
  const auto outward = preference.ends ? outwardness(state.space, preference.judged)
                                       : std::vector<std::vector<double>>();
  std::optional<std::uint64_t> best;
  double least = 0;
  for (int draw = 0; draw < draws; ++draw) {
    auto index = state.random_untried(rng);
    if (!index) return best;
    Assignment point = state.space.assignment(*index);
    if (preference.changed < 1 && state.best()) {
      for (std::size_t k = 0; k < point.size(); ++k)
        if (rng.unit() >= preference.changed) point[k] = state.best()->point[k];
      state.space.normalise(point);
      index = state.open(point);
      if (!index) continue;
    }
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

}  // namespace rooftune::search
