#include "study/batch.h"

#include <algorithm>

namespace rooftune::study {
namespace {

/// Least share of time for a batch to save; below it a proposal from all results is worth more.
constexpr double least_saving = 0.2;
constexpr std::size_t most_together = 16;
/// Configurations per compiler: of one each, all would wait for the slowest.
constexpr std::size_t per_builder = 2;
/// Trials behind the pace: a warm cache, or dear variants near the best, show soon.
constexpr std::size_t latest_trials = 8;

}  // namespace

Pace pace(const History& history) {
  Pace sum;
  double count = 0;
  const auto& trials = history.trials();
  for (auto trial = trials.rbegin(); trial != trials.rend() && count < latest_trials; ++trial) {
    if (trial->cost.total <= 0) continue;
    sum.build += trial->cost.build;
    sum.run += trial->cost.validate + trial->cost.time;
    sum.total += trial->cost.total;
    ++count;
  }
  return count > 0 ? Pace{sum.build / count, sum.run / count, sum.total / count} : sum;
}

std::size_t batch_size(const Pace& pace, int builders) {
  if (pace.trial(builders) > (1 - least_saving) * pace.trial(1) || pace.build <= 0) return 1;
  return std::min(most_together, per_builder * static_cast<std::size_t>(builders));
}

}  // namespace rooftune::study
