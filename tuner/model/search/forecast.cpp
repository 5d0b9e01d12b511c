#include "search/forecast.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>

#include "core/list.h"
#include "search/gaussian_process.h"
#include "search/search_state.h"
#include "space/knob.h"

namespace rooftune::search {
namespace {

constexpr size_t fewest_to_learn = 8;
constexpr int fit_sweeps = 2;

/// In double throughout: by default Boost computes in long double, ten times as slow (160 instead
/// of 17 ns for a cumulative probability).
const boost::math::normal_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>
    standard_normal;

/// What a model fitted to the trials expects from configurations: logarithms of times [s].
struct Forecast {
  Numbers means, deviations;
  double best = 0;  ///< the logarithm of the fastest trial's time
};

std::optional<Forecast> forecast(const SearchSpace& space, const History& history,
                                 const Configurations& configurations) {
  Observations ran;
  for (const Trial& trial : history.trials())
    if (auto one = observation_of(space, trial); one && one->ok) ran.push_back(std::move(*one));
  stable_sort(ran, {}, &Observation::log_seconds);
  keep_for_learning(ran);
  if (ran.size() < fewest_to_learn || configurations.empty()) return std::nullopt;
  double mean = 0;
  for (const Observation& one : ran) mean += one.log_seconds / double(ran.size());
  AssignmentRefs xs;
  Numbers ys;
  for (const Observation& one : ran) {
    xs.push_back(&one.point);
    ys.push_back(one.log_seconds - mean);
  }
  Assignments points;
  for (const Configuration& one : configurations)
    points.push_back(space.assignment(space.index(one).value()));
  const KnobDistances distances(space);
  const GpHyperparameters learnt =
      fitted_hyperparameters(distances, xs, ys, {distances.expected_weights()}, fit_sweeps);
  Posterior posterior(distances, learnt, std::move(points), ran.size());
  posterior.observe(xs, ys);
  const double scale = std::sqrt(posterior.signal());
  Forecast result;
  result.best = mean + ys.front();
  for (const size_t c : indices(configurations)) {
    result.means.push_back(mean + posterior.mean(c));
    result.deviations.push_back(std::max(1e-9, scale * std::sqrt(posterior.variance(c))));
  }
  return result;
}

/// How many pseudo-trials at the mean each value gets.
constexpr double shrinkage = 2;
constexpr int backfits = 4;
/// A variant that took less came from the cache [s].
constexpr double least_build = 0.005;

bool is_compiled(const Knob& knob) {
  using enum Knob::Kind;
  return knob.kind == compile || knob.kind == flag || knob.kind == compiler;
}

}  // namespace

double expected_improvement(double gain, double deviation) {
  const double z = gain / deviation;
  return gain * boost::math::cdf(standard_normal, z) +
         deviation * boost::math::pdf(standard_normal, z);
}

Numbers expected_gains(const SearchSpace& space, const History& history,
                       const Configurations& configurations) {
  Numbers all;
  if (const auto known = forecast(space, history, configurations))
    for (const size_t c : indices(configurations))
      all.push_back(expected_improvement(known->best - known->means[c], known->deviations[c]));
  return all;
}

Numbers expected_logarithms(const SearchSpace& space, const History& history,
                            const Configurations& configurations) {
  const auto known = forecast(space, history, configurations);
  return known ? known->means : Numbers{};
}

Assignment TrialCost::built_from(const Assignment& point) const {
  Assignment part;
  for (const size_t k : indices(point))
    if (is_compiled(space_.knobs()[k])) part.push_back(point[k]);
  return part;
}

void TrialCost::learn(const Observations& trials) {
  Figures builds, runs;
  built_.clear();
  for (const Observation& trial : trials) {
    built_.insert(built_from(trial.point));
    if (trial.build_seconds > least_build) builds.push_back({&trial.point, trial.build_seconds});
    if (trial.run_seconds > 0) runs.push_back({&trial.point, trial.run_seconds});
  }
  build_ = value_effects(builds, space_, true);
  run_ = value_effects(runs, space_);
}

ValueEffects value_effects(const Figures& figures, const SearchSpace& space, bool compiled) {
  ValueEffects effects;
  effects.known = !figures.empty();
  for (const Knob& knob : space.knobs()) effects.values.emplace_back(knob.values.size());
  Numbers left;
  for (const auto& [point, figure] : figures)
    effects.mean += std::log(figure) / double(figures.size());
  for (const auto& [point, figure] : figures) left.push_back(std::log(figure) - effects.mean);
  // Backfitting: each knob in turn explains what the others leave.
  for (int sweep = 0; sweep < backfits; ++sweep)
    for (const size_t k : indices(effects.values)) {
      if (compiled && !is_compiled(space.knobs()[k])) continue;
      Numbers& values = effects.values[k];
      Numbers sums(values.size()), points(values.size(), shrinkage);
      for (const size_t i : indices(left)) {
        const uint32_t value = (*figures[i].first)[k];
        left[i] += values[value];
        sums[value] += left[i];
        points[value] += 1;
      }
      for (const size_t v : indices(values)) values[v] = sums[v] / points[v];
      for (const size_t i : indices(left)) left[i] -= values[(*figures[i].first)[k]];
    }
  return effects;
}

double ValueEffects::logarithm(const Assignment& point) const {
  double sum = mean;
  for (const size_t k : indices(values)) sum += values[k][point[k]];
  return sum;
}

double TrialCost::operator()(const Assignment& point) const {
  const bool built = built_.contains(built_from(point));
  const auto seconds = [&](const ValueEffects& effects) {
    return effects.known ? std::exp(effects.logarithm(point)) : 0;
  };
  return (built ? 0 : seconds(build_)) + seconds(run_);
}

}  // namespace rooftune::search
