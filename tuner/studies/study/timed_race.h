// A race within a time, with micro-kernels of ceilings after each of its rounds.
#pragma once
#include <functional>
#include <optional>

#include "study/search_loop.h"
#include "trial/race.h"

namespace rooftune::study {

struct TimedRace {
  const SearchOptions& options;
  Evaluator& evaluator;
  double limit;  ///< [s]; HUGE_VAL: none
  int rounds;    ///< at most
  /// Ceilings that run beside: the one that binds, then those near the time of `best` and on the
  /// way to it from `baseline`.
  Seconds best, baseline;
};

/// Adds rounds to `race`; `next` sees it after each of them. Returns whether it ended in time,
/// nullopt where a configuration was refuted. Throws Interrupted.
std::optional<bool> run_rounds(Race& race, const TimedRace& how,
                               const std::function<AfterRound(const Race& until_now)>& next);

}  // namespace rooftune::study
