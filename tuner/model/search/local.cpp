#include "search/local.h"

#include <algorithm>
#include <cmath>

namespace rooftune::search {
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
    if (const auto index = first_open(*this, perturbation, {most_perturbations, wanted}))
      return index;
  return random_untried(rng, wanted);
}

std::unique_ptr<SearchState> new_local(const SearchSpace& space, const Knowledge&) {
  return std::make_unique<Copied<Local>>(space);
}

}  // namespace rooftune::search
