// Micro-kernels of ceilings that run after each round of a race.
#pragma once
#include <vector>

#include "study/search_loop.h"
#include "trial/evaluator.h"

namespace rooftune::study {

class RoofReadings {
 public:
  /// Reads the ceiling that binds, then those near the time of `best` and on the way to it from
  /// `baseline`.
  RoofReadings(const SearchOptions& options, Seconds best, Seconds baseline);
  /// After a round.
  void read();
  /// Those of the first `rounds` rounds; a roof with a failure is left out.
  std::vector<RacedRoof> first_rounds(size_t rounds) const;

 private:
  Roofs roofs_;
  std::vector<RacedRoof> read_;
};

}  // namespace rooftune::study
