// A staircase's race: every configuration from the baseline to the winner, and values tried after
// it, in the same interleaved rounds.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "trial/evaluator.h"
#include "trial/race.h"

namespace rooftune::trial {

struct StaircaseRace {
  Configuration found;  ///< the finalists' winner, to which this is the way
  Race race;            ///< the baseline, the steps, the winner; then untried values beside it
  size_t winner = 0;    ///< where the last step stands in `race`
  bool given = false;   ///< its steps follow a published path
  std::string shortened_because;  ///< why steps are missing; empty: none is
  static void check(const StaircaseRace& race, const Place& place);
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, found, race, winner);
    ROOFTUNE_EACH(visit.defaulted, self, given, shortened_because);
    visit.then(self, check);
  }
};

/// How many rounds both ran undisturbed.
int clean_rounds(const Race& race, size_t first, size_t second);
/// Those whose ratio to `winner` is known as closely as an answer states it: at least three clean
/// rounds, an interval within 3 % for equal times and within more for larger ratios. They may leave
/// the race.
Indices settled(const Race& race, size_t winner);

/// Places in the race from the baseline to the top. A step that does not gain 1 % beyond the noise
/// is part of the next; at the end a smaller gain is not needed, and a gain that noise may have
/// made is joined with the step before. An untried value that gains is the last step. A given path
/// keeps its steps.
Indices climbed(const StaircaseRace& staircase);

}  // namespace rooftune::trial
