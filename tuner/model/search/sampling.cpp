// The strategies without a model: "random", "exhaustive", "genetic" and "local".
#include <algorithm>
#include <cmath>

#include "search/search_state.h"

namespace rooftune::search {
namespace {

/// Has no proposal of its own, so a uniform draw comes.
class Random : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<std::uint64_t> propose(Rng&) const override { return std::nullopt; }
};

/// Every configuration, in the order of the search space.
class Exhaustive : public SearchState {
 public:
  using SearchState::SearchState;
  std::optional<std::uint64_t> propose(Rng&) const override {
    const std::uint64_t size = space.size(), begin = start();
    for (std::uint64_t step = 0; step < size; ++step)
      if (const std::uint64_t index = (begin + step) % size; !tried(index)) return index;
    return std::nullopt;
  }

 private:
  /// After the latest trial, so a proposal does not walk over all trials. The baseline, first in a
  /// session, is no place in the order.
  std::uint64_t start() const {
    if (all().empty()) return 0;
    const std::uint64_t latest = all().back().index;
    return latest == space.index(space.baseline()) ? 0 : latest + 1;
  }
};

constexpr std::size_t most_parents = 20, tournament = 3;

/// A steady-state genetic algorithm; the population are the fastest trials.
class Genetic : public SearchState {
 public:
  using SearchState::SearchState;

  std::optional<std::uint64_t> propose(Rng& rng) const override {
    if (all().size() < most_parents) return covering_draw(*this, rng);
    const auto parents = fastest(*this, most_parents);
    if (parents.size() < 2) return std::nullopt;
    return first_open(*this, [&] {
      Assignment child = chosen(parents, rng)->point;
      const Assignment& other = chosen(parents, rng)->point;
      for (std::size_t k = 0; k < child.size(); ++k)
        if (rng.below(2) == 0) child[k] = other[k];
      mutate(child, rng);
      return child;
    });
  }

 private:
  static const Observation* chosen(const std::vector<const Observation*>& parents, Rng& rng) {
    std::size_t rank = parents.size();
    for (std::size_t i = 0; i < tournament; ++i)
      rank = std::min<std::size_t>(rank, rng.below(parents.size()));
    return parents[rank];
  }
  /// One knob on average takes any value.
  void mutate(Assignment& child, Rng& rng) const {
    for (std::size_t k = 0; k < child.size(); ++k)
      if (rng.below(child.size()) == 0)
        child[k] = static_cast<std::uint32_t>(rng.below(space.knobs()[k].values.size()));
  }
};

}  // namespace

std::unique_ptr<SearchState> new_random(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Random>>(space);
}

std::unique_ptr<SearchState> new_exhaustive(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Exhaustive>>(space);
}

std::unique_ptr<SearchState> new_genetic(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Genetic>>(space);
}

namespace {

/// Expected gain of an untried knob (logarithm of the speed-up).
constexpr double prior_gain = 0.02;
/// Failures of one value, each time the only change, to make it unreliable.
constexpr int most_failures = 2;
constexpr double clear_improvement = 0.99;
/// Tries to find an untried perturbation of the best before a uniform draw takes its place.
constexpr int most_perturbations = 20;

}  // namespace

bool improves(const Observation& trial, const Observation& incumbent) {
  return trial.ok && (trial.seconds_high < incumbent.seconds ||
                      trial.seconds < clear_improvement * incumbent.seconds);
}

Local::Local(const SearchSpace& the_space)
    : SearchState(the_space),
      changed_knob_(the_space),
      baseline_(the_space.index(the_space.baseline()).value()),
      experience_(the_space.knobs().size()) {
  for (const Knob& knob : space.knobs()) reliability_.emplace_back(knob.values.size());
}

void Local::add(const Observation& trial) {
  const auto knob = here() ? changed_knob_(here()->point, trial.point) : std::nullopt;
  SearchState::add(trial);
  if (trial.ok)
    for (std::size_t k = 0; k < trial.point.size(); ++k) ++reliability_[k][trial.point[k]].runs;
  if (knob) {
    step(*knob, trial);
    return;
  }
  // No neighbour of where it stood: a start.
  if (started_) ++restarts_;
  started_ = true;
  here_ = trial.ok ? std::optional(all().size() - 1) : std::nullopt;
}

void Local::step(std::size_t knob, const Observation& trial) {
  experience_[knob].tries += 1;
  if (trial.failed) ++reliability_[knob][trial.point[knob]].failures;
  if (!trial.ok) return;
  experience_[knob].gain += std::max(0.0, std::log(here()->seconds / trial.seconds));
  if (improves(trial, *here())) here_ = all().size() - 1;
}

double Local::usefulness(std::size_t knob) const {
  return (prior_gain + experience_[knob].gain) / (1 + experience_[knob].tries);
}

bool Local::unreliable(const Assignment& point) const {
  for (std::size_t k = 0; k < point.size(); ++k) {
    const Reliability& value = reliability_[k][point[k]];
    if (value.failures >= most_failures && value.runs < value.failures) return true;
  }
  return false;
}

std::optional<std::uint64_t> Local::propose(Rng& rng) const {
  if (!tried(baseline_)) return baseline_;
  if (here())
    if (const auto index = neighbour(rng)) return index;
  return restart(rng);
}

/// Drawn by the usefulness of the changed knob, shared among its values, nearer ones first.
std::optional<std::uint64_t> Local::neighbour(Rng& rng) const {
  std::vector<std::pair<std::uint64_t, double>> candidates;  // index, weight
  std::vector<int> rank(space.knobs().size());
  double sum = 0;
  for (const Assignment& point : space.neighbours(here()->point)) {
    const std::size_t knob = changed_knob_(here()->point, point).value();
    ++rank[knob];
    const auto index = open(point);
    if (!index || unreliable(point)) continue;
    candidates.push_back({*index, usefulness(knob) / rank[knob]});
    sum += candidates.back().second;
  }
  if (candidates.empty()) return std::nullopt;
  double left = rng.unit() * sum;
  for (const auto& [index, weight] : candidates) {
    left -= weight;
    if (left < 0) return index;
  }
  return candidates.back().first;
}

std::optional<std::uint64_t> Local::restart(Rng& rng) const {
  const auto wanted = [&](const Assignment& point) { return !unreliable(point); };
  const auto perturbation = [&] { return perturbed(space, best()->point, 2 + rng.below(3), rng); };
  if (best() && restarts_ % 2 == 0)
    if (const auto index = first_open(*this, perturbation, most_perturbations, wanted))
      return index;
  return random_untried(rng, wanted);
}

std::unique_ptr<SearchState> new_local(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Local>>(space);
}

}  // namespace rooftune::search
