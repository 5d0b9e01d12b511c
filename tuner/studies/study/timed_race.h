// A race within a time limit, with ceilings' micro-kernels after each round.
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
  /// Choose the ceilings that run beside: the one that binds, then those near `best` and on the way
  /// to it from `baseline` [s].
  Seconds best, baseline;
};

/// Adds rounds to `race`; `next` sees it after each. Returns whether it ended in time, nullopt
/// where a configuration was refuted. Throws Interrupted.
std::optional<bool> run_rounds(Race& race, const TimedRace& how,
                               const std::function<AfterRound(const Race& until_now)>& next);

}  // namespace rooftune::study
