// What the rule of regressions makes of simulated nights: alarms where nothing changed, detections
// where the kernel became slower, by looking at the times of the nights alone and after the race.
// An argument is the threshold (0.03). Synthetic: it ranks rules and does not predict a machine.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "sweep/regression.h"
#include "trial/statistics.h"

using namespace rooftune;

namespace {

constexpr int trials = 2000, nights = 10, samples = 30;

/// A timing: one-sided noise of 1 %, and one in twenty up to a fifth longer.
class Clock {
 public:
  explicit Clock(std::uint64_t seed) : generator_(seed) {}
  double normal(double sd) { return sd > 0 ? std::normal_distribution<>(0, sd)(generator_) : 0; }
  double noise() {
    double factor = 1 + std::abs(normal(0.01));
    if (std::uniform_real_distribution<>()(generator_) < 0.05)
      factor += std::uniform_real_distribution<>(0, 0.2)(generator_);
    return factor;
  }
  /// Lower quartile of a night, as a study states it.
  double night(double drift, double slower) {
    const double level = std::exp(normal(drift)) * slower;
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) times.push_back(level * noise());
    return quantile(times, 0.25);
  }
  /// The race as host/rematch.cpp runs it.
  Estimate race(double slower, double threshold) {
    std::vector<double> ratios;
    Estimate ratio;
    for (int look = 0; look < most_looks; ++look) {
      for (int round = 0; round < rounds_of_look; ++round)
        ratios.push_back(slower * noise() / noise());
      ratio = median_ratio(ratios, confidence_of_look);
      if (compared(ratio, threshold) != Against::unknown) break;
    }
    return ratio;
  }

 private:
  std::mt19937_64 generator_;
};

struct Share {
  int asked = 0, by_nights = 0, confirmed = 0, inconclusive = 0;
};

Share simulated(double drift, double slower, double threshold) {
  Share share;
  for (int trial = 0; trial < trials; ++trial) {
    Clock clock(static_cast<std::uint64_t>(trial));
    std::vector<double> before;
    for (int i = 0; i < nights; ++i) before.push_back(clock.night(drift, 1));
    const double tonight = clock.night(drift, slower);
    share.by_nights += tonight > quantile(before, 0.5) * (1 + threshold);
    if (!is_suspicious(before, tonight, threshold)) continue;
    ++share.asked;
    Rematch rematch;
    rematch.rebuilt = rematch.best = clock.race(slower, threshold);
    const Standing finding = judge({}, rematch, threshold).finding;
    share.confirmed += finding == Standing::regressed;
    share.inconclusive += finding == Standing::inconclusive;
  }
  return share;
}

double percent(int count) { return 100.0 * count / trials; }

}  // namespace

int main(int count, char** words) {
  const double threshold = count > 1 ? std::atof(words[1]) : usual_threshold;
  fmt::print("{} simulated nights each, threshold {:.0f} %, shares in %\n", trials,
             100 * threshold);
  fmt::print("{:>6} {:>10} {:>22} {:>6} {:>10} {:>13}\n", "drift", "regression",
             "median alone alarms", "raced", "confirmed", "inconclusive");
  for (const double drift : {0.0, 0.01, 0.03})
    for (const double slower : {1.0, 1.02, 1.05, 1.10}) {
      const Share share = simulated(drift, slower, threshold);
      fmt::print("{:>5.0f}% {:>9.0f}% {:>22.1f} {:>6.1f} {:>10.1f} {:>13.1f}\n", 100 * drift,
                 100 * (slower - 1), percent(share.by_nights), percent(share.asked),
                 percent(share.confirmed), percent(share.inconclusive));
    }
  return 0;
}
