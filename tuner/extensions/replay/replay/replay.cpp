#include "replay/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "trial/statistics.h"

namespace rooftune::replay {
namespace {

/// Repeats drawn for one trial at most: a tuner runs a few dozen.
constexpr std::size_t most_repeats = 32;

/// A time, and the repeats behind it.
double drawn(const RecordedResult& result, Rng& rng, std::vector<double>& repeats) {
  repeats.clear();
  const std::size_t recorded = result.runtimes.size();
  if (recorded < 2) {
    repeats.push_back(*result.seconds);
    return *result.seconds;
  }
  for (std::size_t i = 0; i < std::min(recorded, most_repeats); ++i)
    repeats.push_back(result.runtimes[rng.below(recorded)]);
  // A trial states the lower quartile of its samples; the recorded time may be a mean, a median or
  // a minimum, so only the deviation of the quartile from its usual value is taken over.
  return *result.seconds * quantile(repeats, 0.25) / quantile(result.runtimes, 0.25);
}

}  // namespace

Replay::Replay(const Recording& recording)
    : space(recording.space()), results(space.size()), truth(space.size()) {
  optimum = HUGE_VAL;
  for (const RecordedResult& result : recording.results) {
    const std::uint64_t index = space.index(result.configuration).value();
    results[index] = result;
    if (result.outcome != Outcome::ok || !result.seconds) continue;
    truth[index] = *result.seconds;
    if (*result.seconds >= optimum) continue;
    optimum = *result.seconds;
    optimum_index = index;
  }
  if (optimum == HUGE_VAL) throw Error("nothing in the recording ran", recording.kernel);
}

std::vector<double> Replay::times() const {
  std::vector<double> all;
  for (const auto& time : truth)
    if (time) all.push_back(*time);
  std::sort(all.begin(), all.end());
  return all;
}

Trial Replay::evaluate(const Configuration& configuration, std::uint64_t seed) const {
  Trial trial;
  trial.configuration = configuration;
  const auto index = space.index(configuration);
  if (!index) {
    trial.outcome = Outcome::build_failed;
    trial.detail = "was never recorded";
    return trial;
  }
  const RecordedResult& result = results[*index];
  trial.outcome = result.outcome;
  trial.detail = result.failure;
  trial.cost = result.cost();
  if (!truth[*index]) {
    if (trial.outcome == Outcome::ok) trial.outcome = Outcome::crashed;
    return trial;
  }
  Rng rng(seed, *index);
  std::vector<double> repeats;
  Measurement measurement;
  const double seconds = drawn(result, rng, repeats);
  double deviation = 0;
  const double centre =
      std::accumulate(repeats.begin(), repeats.end(), 0.0) / static_cast<double>(repeats.size());
  for (const double repeat : repeats) deviation += (repeat - centre) * (repeat - centre);
  const auto n = static_cast<double>(repeats.size());
  const double error = n > 1 ? 2 * std::sqrt(deviation / (n * (n - 1))) : 0;
  measurement.seconds = {seconds, std::max(seconds * 1e-3, seconds - error), seconds + error};
  std::sort(repeats.begin(), repeats.end());
  measurement.best = repeats.front();
  measurement.median = repeats[repeats.size() / 2];
  trial.measurement = std::move(measurement);
  return trial;
}

}  // namespace rooftune::replay
