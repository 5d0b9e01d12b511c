// Calibration of searches with an end by certainty: how often they are wrong.
#pragma once
#include "replay/module.h"
#include "replay/strategy_benchmark.h"

namespace rooftune::replay {

/// A trace, and whether its strategy ended it, being sure.
struct Declared {
  ConvergenceTrace trace;
  bool declared = false;
};
/// Ends when the strategy is sure, as `tune --until-within` does.
Declared trace_until_sure(const BenchmarkSpace& benchmark, const Strategy& strategy,
                          std::uint64_t seed, std::size_t budget, const Certainty& certainty);

struct Calibration {
  std::size_t searches = 0, declared = 0;
  /// Of the declared: the true time of the measured best is more than the share above the optimum.
  std::size_t wrong = 0;
  double low = 0, high = 1;             ///< 95 % interval of wrong / declared (Clopper-Pearson)
  double median = 0, q25 = 0, q75 = 0;  ///< evaluations of the declared; 0 where there is none
};
Calibration calibration(const std::vector<Declared>& searches, double share);
/// Of several spaces: the sums with their interval; evaluations are left out (0).
Calibration pooled(const std::vector<Calibration>& all);

}  // namespace rooftune::replay
