#include "search/trial_cost.h"

#include <cmath>

namespace rooftune::search {
namespace {

/// Pseudo-trials of each value at the mean.
constexpr double shrinkage = 2;
constexpr int backfits = 4;
/// Below, a variant came from the cache [s].
constexpr double least_build = 0.005;

}  // namespace

TrialCost::TrialCost(const SearchSpace& space) {
  for (const Knob& knob : space.knobs()) {
    if (knob.kind == Knob::Kind::compile || knob.kind == Knob::Kind::flag)
      compiled_.push_back(counts_.size());
    all_.push_back(counts_.size());
    counts_.push_back(knob.values.size());
  }
}

Assignment TrialCost::built_from(const Assignment& point) const {
  Assignment part;
  for (const std::size_t k : compiled_) part.push_back(point[k]);
  return part;
}

void TrialCost::learn(const std::vector<Observation>& trials) {
  Measured builds, runs;
  built_.clear();
  for (const Observation& trial : trials) {
    built_.insert(built_from(trial.point));
    if (trial.build_seconds > least_build) builds.push_back({&trial.point, trial.build_seconds});
    if (trial.run_seconds > 0) runs.push_back({&trial.point, trial.run_seconds});
  }
  build_ = effects_of(builds, compiled_);
  run_ = effects_of(runs, all_);
}

TrialCost::Effects TrialCost::effects_of(const Measured& seconds,
                                         const std::vector<std::size_t>& knobs) const {
  Effects effects;
  effects.known = !seconds.empty();
  for (const std::size_t count : counts_) effects.values.emplace_back(count);
  std::vector<double> left;
  for (const auto& [point, taken] : seconds)
    effects.mean += std::log(taken) / static_cast<double>(seconds.size());
  for (const auto& [point, taken] : seconds) left.push_back(std::log(taken) - effects.mean);
  // Backfitting: each knob in turn explains the residual of the others.
  for (int sweep = 0; sweep < backfits; ++sweep)
    for (const std::size_t k : knobs) {
      std::vector<double>& values = effects.values[k];
      std::vector<double> sums(counts_[k]), counts(counts_[k], shrinkage);
      for (std::size_t i = 0; i < left.size(); ++i) {
        const std::uint32_t value = (*seconds[i].first)[k];
        left[i] += values[value];
        sums[value] += left[i];
        counts[value] += 1;
      }
      for (std::size_t v = 0; v < values.size(); ++v) values[v] = sums[v] / counts[v];
      for (std::size_t i = 0; i < left.size(); ++i) left[i] -= values[(*seconds[i].first)[k]];
    }
  return effects;
}

double TrialCost::Effects::seconds(const Assignment& point) const {
  if (!known) return 0;
  double sum = mean;
  for (std::size_t k = 0; k < values.size(); ++k) sum += values[k][point[k]];
  return std::exp(sum);
}

double TrialCost::operator()(const Assignment& point) const {
  const bool built = built_.contains(built_from(point));
  return (built ? 0 : build_.seconds(point)) + run_.seconds(point);
}

}  // namespace rooftune::search
