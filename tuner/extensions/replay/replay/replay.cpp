#include "replay/replay.h"

#include <algorithm>
#include <cmath>

#include "trial/statistics.h"

namespace rooftune::replay {
namespace {

/// Repeats drawn for one trial at most: a tuner runs a few dozen.
constexpr std::size_t most_repeats = 32;

double mean(const std::vector<double>& xs) {
  double sum = 0;
  for (const double x : xs) sum += x;
  return sum / static_cast<double>(xs.size());
}

}  // namespace

Replay::Record::Record(const Recording& recording)
    : space(recording.space()), results(space.size()), truth(space.size()) {
  bool any = false;
  for (const RecordedResult& result : recording.results) {
    const std::uint64_t index = space.index(result.configuration).value();
    results[index] = result;
    if (result.outcome != Outcome::ok || !result.seconds) continue;
    truth[index] = *result.seconds;
    if (any && *result.seconds >= optimum) continue;
    any = true;
    optimum = *result.seconds;
    optimum_index = index;
  }
  if (!any) throw Error("nothing in the recording ran", recording.kernel);
}

Replay::Replay(const Recording& recording, std::uint64_t seed)
    : record_(std::make_shared<Record>(recording)), seed_(seed) {}

Replay::Replay(const Replay& other, std::uint64_t seed) : record_(other.record_), seed_(seed) {}

std::vector<double> Replay::times() const {
  std::vector<double> all;
  for (const auto& time : record_->truth)
    if (time) all.push_back(*time);
  std::sort(all.begin(), all.end());
  return all;
}

double Replay::drawn(const RecordedResult& result, Rng& rng, std::vector<double>& repeats) const {
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

Trial Replay::evaluate(const Configuration& configuration, std::optional<double>) {
  Trial trial;
  trial.configuration = configuration;
  const auto index = record_->space.index(configuration);
  if (!index) {
    trial.outcome = Outcome::build_failed;
    trial.detail = "was never recorded";
    return trial;
  }
  const RecordedResult& result = record_->results[*index];
  trial.outcome = result.outcome;
  trial.detail = result.failure;
  trial.cost = result.cost();
  if (!record_->truth[*index]) {
    if (trial.outcome == Outcome::ok) trial.outcome = Outcome::crashed;
    return trial;
  }
  Rng rng(seed_, *index);
  std::vector<double> repeats;
  Measurement measurement;
  const double seconds = drawn(result, rng, repeats);
  double deviation = 0;
  const double centre = mean(repeats);
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

Rounds Replay::race(const std::vector<Configuration>& configurations, int rounds,
                    std::uint64_t seed, const Between&) {
  Rounds result;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> seconds;
    for (const Configuration& configuration : configurations) {
      const auto index = record_->space.index(configuration);
      if (!index || !record_->truth[*index]) {
        result.fault = configuration.key() + " did not run when it was recorded";
        return result;
      }
      Rng rng(seed_ ^ seed, *index + (static_cast<std::uint64_t>(round) << 40));
      const RecordedResult& recorded = record_->results[*index];
      seconds.push_back(recorded.runtimes.empty()
                            ? *recorded.seconds
                            : recorded.runtimes[rng.below(recorded.runtimes.size())]);
    }
    result.seconds.push_back(std::move(seconds));
  }
  return result;
}

}  // namespace rooftune::replay
