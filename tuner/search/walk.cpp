#include "search/walk.h"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

/// What a knob that was never tried is expected to bring (logarithm of the speed-up).
constexpr double prior_gain = 0.02;
/// Failures of one value, each time the only change, that make it doubtful.
constexpr int most_failures = 2;
constexpr double clear_improvement = 0.99;

/// Failures that a value can be blamed for; slow or noisy is no failure.
bool failed(const Trial& trial) {
  return !trial.ok() && trial.outcome != Outcome::pruned && trial.outcome != Outcome::unstable;
}

bool holds(const Configuration& configuration, const std::pair<std::string, Value>& value) {
  return configuration.has(value.first) && configuration.at(value.first) == value.second;
}

bool depends(const SearchSpace& space, const Knob& knob, const std::string& on, int depth = 0) {
  if (depth > 8) return false;
  for (const auto& name : knob.active.names()) {
    if (name == on) return true;
    const Knob* between = space.knob(name);
    if (between && depends(space, *between, on, depth + 1)) return true;
  }
  return false;
}

/// Knobs whose values differ; none when the two do not have the same knobs.
std::vector<const std::string*> differences(const Configuration& a, const Configuration& b) {
  std::vector<const std::string*> result;
  if (a.values().size() != b.values().size()) return result;
  auto other = b.values().begin();
  for (const auto& [name, value] : a.values()) {
    if (name != other->first) return {};
    if (!(value == other->second)) result.push_back(&name);
    ++other;
  }
  return result;
}

}  // namespace

std::string changed_knob(const SearchSpace& space, const Configuration& from,
                         const Configuration& to) {
  const auto different = differences(from, to);
  if (different.size() == 1) return *different.front();
  for (const std::string* changed : different) {
    const bool explains =
        std::all_of(different.begin(), different.end(), [&](const std::string* other) {
          if (other == changed) return true;
          const Knob* knob = space.knob(*other);
          return knob && to.at(*other) == knob->fallback && depends(space, *knob, *changed);
        });
    if (explains) return *changed;
  }
  return {};
}

bool improves(const Trial& trial, const Trial& incumbent) {
  if (!trial.ok()) return false;
  const Estimate& time = trial.measurement->seconds;
  const double value = incumbent.measurement->seconds.value;
  return time.high < value || time.value < clear_improvement * value;
}

Walk::Walk(const SearchSpace& space, const History& history) : space_(space) {
  bool started = false;
  for (const auto& trial : history.trials()) {
    const std::string knob =
        here_ ? changed_knob(space, here_->configuration, trial.configuration) : std::string();
    if (!knob.empty()) {
      step(knob, trial);
      continue;
    }
    if (started) ++restarts_;
    started = true;
    here_ = trial.ok() ? &trial : nullptr;
  }
  judge_values(history);
}

void Walk::step(const std::string& knob, const Trial& trial) {
  Experience& experience = experience_[knob];
  experience.tries += 1;
  if (failed(trial)) ++failures_[{knob, trial.configuration.at(knob)}];
  if (!trial.ok()) return;
  const double ratio = here_->measurement->seconds.value / trial.measurement->seconds.value;
  experience.gain += std::max(0.0, std::log(ratio));
  if (improves(trial, *here_)) here_ = &trial;
}

void Walk::judge_values(const History& history) {
  for (const auto& [value, count] : failures_) {
    if (count < most_failures) continue;
    int ran = 0;
    for (const auto& trial : history.trials()) {
      if (trial.ok() && holds(trial.configuration, value)) ++ran;
      // Most values run often, so that the first trials settle it.
      if (ran >= count) break;
    }
    if (ran < count) doubtful_.insert(value);
  }
}

double Walk::usefulness(const std::string& knob) const {
  const auto found = experience_.find(knob);
  if (found == experience_.end()) return prior_gain;
  return (prior_gain + found->second.gain) / (1 + found->second.tries);
}

bool Walk::doubtful(const Configuration& configuration) const {
  return std::any_of(doubtful_.begin(), doubtful_.end(),
                     [&](const auto& value) { return holds(configuration, value); });
}

}  // namespace rooftune
