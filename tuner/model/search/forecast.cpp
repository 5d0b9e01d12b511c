#include "search/forecast.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "search/gaussian_process.h"
#include "search/search_state.h"

namespace rooftune::search {
namespace {

constexpr std::size_t fewest_to_learn = 8, most_to_learn = 120;
constexpr int fit_sweeps = 2;

/// Best first: of many the better half and an even spread of the others.
std::vector<Observation> learnt_from(const SearchSpace& space, const History& history) {
  std::vector<Observation> ran;
  for (const Trial& trial : history.trials())
    if (auto one = observation_of(space, trial); one && one->ok) ran.push_back(std::move(*one));
  std::ranges::stable_sort(ran, {}, &Observation::log_seconds);
  if (ran.size() <= most_to_learn) return ran;
  constexpr std::size_t half = most_to_learn / 2;
  const std::size_t others = ran.size() - half;
  for (std::size_t i = 0; i < half; ++i) ran[half + i] = ran[half + i * others / half];
  ran.resize(most_to_learn);
  return ran;
}

/// Mean of max(0, X), X normal with mean `gain`.
double mean_gain(double gain, double deviation) {
  const double z = gain / deviation;
  const double above = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return std::max(0.0, gain * above + deviation * density);
}

}  // namespace

std::vector<double> expected_gains(const SearchSpace& space, const History& history,
                                   const std::vector<Configuration>& configurations) {
  const std::vector<Observation> ran = learnt_from(space, history);
  if (ran.size() < fewest_to_learn || configurations.empty()) return {};
  double mean = 0;
  for (const Observation& one : ran) mean += one.log_seconds / static_cast<double>(ran.size());
  std::vector<const Assignment*> xs;
  std::vector<double> ys;
  for (const Observation& one : ran) {
    xs.push_back(&one.point);
    ys.push_back(one.log_seconds - mean);
  }
  std::vector<Assignment> points;
  for (const Configuration& one : configurations)
    points.push_back(space.assignment(space.index(one).value()));
  const KnobDistances distances(space);
  const GpHyperparameters learnt =
      fitted_hyperparameters(distances, xs, ys, {distances.expected_weights()}, fit_sweeps);
  Posterior posterior(distances, learnt, std::move(points), ran.size());
  posterior.observe(xs, ys);
  const double scale = std::sqrt(posterior.signal());
  std::vector<double> all;
  for (std::size_t c = 0; c < configurations.size(); ++c)
    all.push_back(mean_gain(ys.front() - posterior.mean(c),
                            std::max(1e-9, scale * std::sqrt(posterior.variance(c)))));
  return all;
}

}  // namespace rooftune::search
