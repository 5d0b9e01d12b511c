#include "study/schedule.h"

#include <algorithm>
#include <cmath>

namespace rooftune::study {
namespace {

/// For each Part: the share of the wall time elapsed at its end; its time where no wall time is set
/// [s].
struct Share {
  double end, free;
};
constexpr Share shares[] = {{1, 20}, {0.95, 30}, {0.98, 10}};
/// The share of the wall time for all races together.
constexpr double most_for_races = 0.2;
/// Shares of the wall time for counts alone, for without counts nothing explains the answer. More
/// where calls or builds are long.
constexpr double least_for_counts = 0.05, most_for_counts = 0.2;
/// Most time for counts where no wall time is set [s].
constexpr double most_free = 60;

/// A batch must save at least this share of the time; otherwise a proposal based on all results is
/// worth more.
constexpr double least_saving = 0.2;
constexpr size_t most_together = 16;
/// Configurations per compiler: with a single one each, all would wait for the slowest.
constexpr size_t per_builder = 2;
/// The pace is taken from so few trials that a warm cache, or slow variants near the best, show
/// soon.
constexpr size_t latest_trials = 8;

/// A counting run makes some four calls, and its trace makes each some three times as long. Tracing
/// the arrays takes some six times as long as validating them; before, a worker starts [s]. Seen
/// with ten kernels: 0.5 to 2 times the forecast.
constexpr double calls_to_count = 12, validations_to_count = 6, begin_to_count = 0.5;

}  // namespace

double Schedule::share() const {
  return wall_ ? std::clamp(elapsed() / wall_->value(), 0.0, 1.0) : 0;
}

double Schedule::left(double reserved) const {
  return wall_ ? wall_->value() - reserved - elapsed() : HUGE_VAL;
}

double Schedule::for_races() const { return wall_ ? most_for_races * wall_->value() : HUGE_VAL; }

double Schedule::for_counts(double likely) const {
  return wall_ ? std::clamp(likely, least_for_counts * wall_->value(),
                            most_for_counts * wall_->value())
               : std::clamp(likely, shares[size_t(Part::counts)].free, most_free);
}

double Schedule::budget_to_count(double likely) { return likely / most_for_counts; }

double Schedule::left_for(Part part) const {
  const Share share = shares[size_t(part)];
  const double counts = for_counts(likely_counts_), least = for_counts(0);
  if (!wall_) return part == Part::counts ? counts : share.free;
  const double later = part < Part::counts ? counts - least : 0;
  const double own = left((1 - share.end) * wall_->value() + later);
  // Counts end when the time kept for them ends; later only if earlier parts have spent that time.
  return part == Part::counts ? std::max({least, own, std::min(counts, left())})
                              : std::max(0.0, own);
}

double wall_in_race(const Trial& trial, int rounds) {
  return wall_of_entering(trial) + rounds * wall_of_round(trial);
}

double likely_to_count(const Trial& trial, const Pace& pace, int builders) {
  return std::max(trial.cost.build, pace.build) / builders + begin_to_count +
         validations_to_count * trial.cost.validate + calls_to_count * trial.seconds();
}

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

size_t batch_size(const Pace& pace, int builders) {
  if (pace.trial(builders) > (1 - least_saving) * pace.trial(1) || pace.build <= 0) return 1;
  return std::min(most_together, per_builder * size_t(builders));
}

}  // namespace rooftune::study
