#include "search/search_state.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "space/knob.h"

namespace rooftune::search {
namespace {

/// How many draws come before the untried are counted one by one; enough while 5 % of the space are
/// left.
constexpr int most_draws = 60;

constexpr int draws = 40;
/// A slowdown expected by a factor of e counts as two knobs at values already tried.
constexpr double expected_weight = 2;

/// By knob and value: from 0 in an ordered knob's middle to 1 at its ends, 0 for other knobs.
NumberRows outwardness(const SearchSpace& space, const std::set<size_t>& except) {
  NumberRows all;
  for (const size_t k : indices(space.knobs())) {
    const Knob& knob = space.knobs()[k];
    const size_t n = knob.values.size();
    Numbers one(n);
    const bool ordered = n > 2 && !except.contains(k) &&
                         all_of(knob.values, [](auto& v) { return v.is_number() && !v.is_bool(); });
    for (size_t v = 0; ordered && v < n; ++v) one[v] = std::abs(2 * double(v) / double(n - 1) - 1);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::optional<Observation> observation_of(const SearchSpace& space, const Trial& trial) {
  const auto index = space.index(trial.configuration);
  if (!index) return std::nullopt;
  Observation result;
  result.index = *index;
  result.point = space.assignment(*index);
  result.ok = trial.ok();
  result.build_seconds = trial.cost.build;
  result.run_seconds = trial.cost.validate + trial.cost.time;
  result.failed =
      !trial.ok() && trial.outcome != Outcome::pruned && trial.outcome != Outcome::unstable;
  if (result.ok) {
    const Estimate& seconds = trial.measurement->seconds;
    result.seconds = seconds.value;
    result.log_seconds = std::log(result.seconds);
    if (trial.measurement->disturbed) {
      const double deviation = std::log(seconds.high / seconds.low) / 2;
      result.variance = deviation * deviation;
    }
  }
  return result;
}

void SearchState::add(const Observation& observed) {
  by_index_[observed.index] = all_.size();
  all_.push_back(observed);
  if (observed.ok && (!best_ || observed.seconds < all_[*best_].seconds)) best_ = all_.size() - 1;
}

const Observation* SearchState::find(uint64_t index) const {
  auto* found = value_at(by_index_, index);
  return found ? &all_[*found] : nullptr;
}

std::optional<uint64_t> SearchState::random_untried(Rng& rng) const {
  if (exhausted()) return std::nullopt;
  for (int draw = 0; draw < most_draws; ++draw) {
    const uint64_t index = rng.below(space.size());
    if (!tried(index)) return index;
  }
  std::vector<uint64_t> taken = keys_of(by_index_);

  sort(taken);
  uint64_t index = rng.below(space.size() - taken.size());
  for (const uint64_t other : taken) {
    if (other > index) break;
    ++index;
  }
  return index;
}

std::optional<uint64_t> SearchState::open(const Assignment& point) const {
  const auto index = space.index(point);
  return index && !tried(*index) ? index : std::nullopt;
}

std::vector<uint64_t> open_neighbours(const SearchState& state, const Assignment& point) {
  std::vector<uint64_t> open;
  for (const Assignment& neighbour : state.space.neighbours(point))
    if (const auto index = state.open(neighbour)) open.push_back(*index);
  return open;
}

Assignment perturbed(const SearchSpace& space, Assignment point, uint64_t changes, Rng& rng) {
  Indices movable;
  for (const size_t k : indices(space.knobs()))
    if (space.knobs()[k].values.size() > 1) movable.push_back(k);
  for (; changes > 0 && !movable.empty(); --changes) {
    const auto at = ptrdiff_t(rng.below(movable.size()));
    const size_t k = movable[size_t(at)];
    movable.erase(movable.begin() + at);
    const auto other = uint32_t(rng.below(space.knobs()[k].values.size() - 1));
    point[k] = other < point[k] ? other : other + 1;
  }
  return point;
}

ObservationRefs fastest(const SearchState& state, size_t n) {
  ObservationRefs ran;
  for (const Observation& observed : state.all())
    if (observed.ok && state.find(observed.index) == &observed) ran.push_back(&observed);
  stable_sort(ran, {}, &Observation::seconds);
  if (ran.size() > n) ran.resize(n);
  return ran;
}

std::optional<uint64_t> covering_draw(const SearchState& state, Rng& rng,
                                      const Preference& preference) {
  NumberRows used;
  for (const Knob& knob : state.space.knobs()) used.emplace_back(knob.values.size());
  // Values tried evenly count `trials` for each knob: an end weighs as much.
  double trials = 0;
  for (const Observation& observed : state.all()) {
    if (preference.apart.contains(observed.index)) continue;
    ++trials;
    for (const size_t k : indices(used)) used[k][observed.point[k]] += 1;
  }
  const auto outward = preference.ends ? outwardness(state.space, preference.judged) : NumberRows();
  // Before anything ran, what is being tried: the baseline.
  const Observation* const centre =
      state.best() || state.all().empty() ? state.best() : &state.all().front();
  std::optional<uint64_t> best;
  double least = 0;
  for (int draw = 0; draw < draws; ++draw) {
    auto index = state.random_untried(rng);
    if (!index) return best;
    Assignment point = state.space.assignment(*index);
    if (!preference.changed.empty() && centre) {
      for (const size_t k : indices(point))
        if (rng.unit() >= preference.changed[k]) point[k] = centre->point[k];
      state.space.normalise(point);
      index = state.open(point);
      if (!index) continue;
    }
    double sum = 0;
    for (const size_t k : indices(used)) sum += used[k][point[k]] * double(used[k].size());
    for (const size_t k : indices(outward)) sum -= trials * outward[k][point[k]];
    if (preference.expected) sum += trials * expected_weight * preference.expected(point);
    if (best && sum >= least) continue;
    best = index;
    least = sum;
  }
  return best;
}

}  // namespace rooftune::search
