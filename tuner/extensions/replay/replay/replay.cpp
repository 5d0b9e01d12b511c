#include "replay/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/list.h"
#include "trial/statistics.h"

namespace rooftune::replay {
namespace {

/// How many repeats one trial draws at most: a tuner runs a few dozen.
constexpr size_t most_repeats = 32;

/// Draws a time [s], and the repeats behind it.
double drawn(const RecordedResult& result, Rng& rng, Numbers& repeats) {
  repeats.clear();
  const size_t recorded = result.runtimes.size();
  if (recorded < 2) {
    repeats.push_back(*result.seconds);
    return *result.seconds;
  }
  for (size_t i = 0; i < std::min(recorded, most_repeats); ++i)
    repeats.push_back(result.runtimes[rng.below(recorded)]);
  // A trial states its samples' lower quartile; the recorded time may be a mean, a median or a
  // minimum, so only the quartile's deviation from its usual value is taken over.
  return *result.seconds * quantile(repeats, 0.25) / quantile(result.runtimes, 0.25);
}

/// Whether the true time behind a fraction is at most `distance` above the optimum.
bool within(double fraction, double distance) { return fraction * (1 + distance) >= 1 - 1e-12; }

/// The fraction in the trace after so many evaluations.
double fraction_after(const ConvergenceTrace& trace, size_t evaluations) {
  return trace.empty() ? 0 : trace[std::min(trace.size(), evaluations) - 1];
}

}  // namespace

Replay::Replay(const Recording& recording, const std::string& file)
    : space(recording.space()), results(space.size()), truth(space.size()) {
  optimum = HUGE_VAL;
  for (const RecordedResult& result : recording.results) {
    const uint64_t index = space.index(result.configuration).value();
    results[index] = result;
    if (result.outcome != Outcome::ok || !result.seconds) continue;
    truth[index] = *result.seconds;
    if (*result.seconds >= optimum) continue;
    optimum = *result.seconds;
    optimum_index = index;
  }
  if (optimum == HUGE_VAL)
    throw Error("nothing in the recording ran", file,
                "a replay needs a configuration that has a time");
}

Numbers Replay::times() const {
  Numbers all;
  for (const auto& time : truth)
    if (time) all.push_back(*time);
  sort(all);
  return all;
}

Trial Replay::evaluate(const Configuration& configuration, uint64_t seed) const {
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
  Numbers repeats;
  Measurement measurement;
  const double seconds = drawn(result, rng, repeats);
  double deviation = 0;
  const double centre =
      std::accumulate(repeats.begin(), repeats.end(), 0.0) / double(repeats.size());
  for (const double repeat : repeats) deviation += (repeat - centre) * (repeat - centre);
  const auto n = double(repeats.size());
  const double error = n > 1 ? 2 * std::sqrt(deviation / (n * (n - 1))) : 0;
  measurement.seconds = {seconds, std::max(seconds * 1e-3, seconds - error), seconds + error};
  sort(repeats);
  measurement.best = repeats.front();
  measurement.median = repeats[repeats.size() / 2];
  trial.measurement = std::move(measurement);
  return trial;
}

ConvergenceTrace convergence(const BenchmarkSpace& benchmark, const Strategy& strategy,
                             uint64_t seed, size_t budget) {
  ConvergenceTrace trace;
  History history;
  double least = HUGE_VAL, fraction = 0;
  for (size_t i = 0; i < budget; ++i) {
    Rng rng(seed, history.size());
    const auto proposal = strategy.propose(benchmark.space, history, rng);
    if (!proposal) break;
    Trial trial = benchmark.evaluate(*proposal, seed);
    trial.index = i;
    if (trial.ok() && trial.seconds() < least) {
      least = trial.seconds();
      const auto truth = benchmark.truth(benchmark.space.index(*proposal).value());
      fraction = truth ? benchmark.optimum / *truth : 0;
    }
    history.append(std::move(trial));
    trace.push_back(fraction);
  }
  return trace;
}

EvaluationsToTarget evaluations_to_target(const ConvergenceTraces& traces, double distance,
                                          size_t budget) {
  EvaluationsToTarget result;
  Numbers evaluations;
  for (const ConvergenceTrace& run : traces) {
    const auto found = find_if(run, [&](double fraction) { return within(fraction, distance); });
    if (found == run.end()) ++result.censored;
    evaluations.push_back(double(found == run.end() ? budget : size_t(found - run.begin()) + 1));
  }
  result.median = quantile(evaluations, 0.5);
  result.q25 = quantile(evaluations, 0.25);
  result.q75 = quantile(evaluations, 0.75);
  const Estimate interval = quantile_interval(evaluations, 0.5, 0.95);
  result.median_interval = {interval.low, interval.high};
  return result;
}

double mean_fraction(const ConvergenceTraces& traces, size_t evaluations) {
  double sum = 0;
  for (const ConvergenceTrace& run : traces) sum += fraction_after(run, evaluations);
  return traces.empty() ? 0 : sum / double(traces.size());
}

double expected_best(const Numbers& times, size_t draws) {
  const size_t n = times.size();
  if (draws >= n) return times.front();
  // The chance that the k-th is the least among the draws falls by (n - draws - k) / (n - 1 - k).
  double chance = double(draws) / double(n), sum = 0;
  for (size_t k = 0; k + draws <= n && chance > 1e-15; ++k) {
    sum += chance * times[k];
    if (k + 1 == n) break;
    chance *= double(n - draws - k) / double(n - 1 - k);
  }
  return sum;
}

double community_score(const ConvergenceTraces& traces, const Numbers& times, double optimum,
                       size_t budget) {
  const double middle = times[times.size() / 2];
  const double goal = middle - 0.95 * (middle - optimum);
  double sum = 0;
  size_t counted = 0;
  for (size_t draws = 1; draws <= budget; ++draws) {
    const double random = expected_best(times, draws);
    if (random <= optimum) break;
    double found = 0;
    for (const ConvergenceTrace& run : traces) {
      const double fraction = fraction_after(run, draws);
      // Before its first success a tuner counts as random search: it has found nothing.
      found += fraction > 0 ? optimum / fraction : random;
    }
    found /= double(traces.size());
    sum += (random - found) / (random - optimum);
    ++counted;
    if (random <= goal) break;
  }
  return counted == 0 ? 0 : sum / double(counted);
}

}  // namespace rooftune::replay
