// A recorded space as if it were measured now: each configuration's recorded time, with the
// recorded noise where the record has repeats.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "replay/recording.h"
#include "search/strategy.h"

namespace rooftune::replay {

struct Replay {
  /// Throws Error when nothing in the recording of `file` ran.
  explicit Replay(const Recording& recording, const std::string& file = {});
  /// The repeats are drawn anew from the recorded ones (bootstrap), always alike for one seed and
  /// configuration; a configuration without a record is refused.
  Trial evaluate(const Configuration& configuration, uint64_t seed) const;
  /// The recorded times of all configurations that ran, ascending.
  Numbers times() const;

  SearchSpace space;
  std::vector<RecordedResult> results;       ///< by index in the space
  std::vector<std::optional<double>> truth;  ///< the recorded time [s]; nullopt when it failed
  double optimum = 0;                        ///< the least recorded time [s] and where it was
  uint64_t optimum_index = 0;
};

// Compares strategies on a space in which all times are known.

struct BenchmarkSpace {
  const SearchSpace& space;
  /// A trial of this configuration; noise may differ between seeds.
  std::function<Trial(const Configuration&, uint64_t seed)> evaluate;
  /// The true time [s] by index in the space; nullopt when it fails.
  std::function<std::optional<double>(uint64_t)> truth;
  double optimum = 0;  ///< least true time [s]
};

/// After each evaluation: the optimum over the true time of the best measured so far, in [0, 1]; 0
/// while nothing ran. Shorter than the budget when the space was exhausted earlier.
using ConvergenceTrace = Numbers;
using ConvergenceTraces = std::vector<ConvergenceTrace>;
ConvergenceTrace convergence(const BenchmarkSpace& benchmark, const Strategy& strategy,
                             uint64_t seed, size_t budget);

/// Evaluations until a run came within a distance of the optimum, over all seeds. A run that never
/// did counts as the budget: if runs are censored, a quantile equal to the budget is a lower bound.
struct EvaluationsToTarget {
  double median = 0, q25 = 0, q75 = 0;
  size_t censored = 0;                        ///< runs that never came within
  std::pair<double, double> median_interval;  ///< the 95 % interval
  ROOFTUNE_FIELDS(median, q25, q75, censored, median_interval)
};
/// `distance` 0.05: a true time of at most 1.05 times the optimum.
EvaluationsToTarget evaluations_to_target(const ConvergenceTraces& traces, double distance,
                                          size_t budget);
/// The traces' mean after `evaluations`, over the seeds.
double mean_fraction(const ConvergenceTraces& traces, size_t evaluations);

/// The community's score: how far between random search (0) and the optimum (1) the mean run is,
/// averaged over the evaluations until random search has come 95 % of the way from the median to
/// the optimum (Willemsen et al. 2024). `times`: all true times, ascending.
double community_score(const ConvergenceTraces& traces, const Numbers& times, double optimum,
                       size_t budget);
/// The least time to expect from `draws` draws without replacement; `times` ascend.
double expected_best(const Numbers& times, size_t draws);

}  // namespace rooftune::replay
