// Size of a batch of proposals: all cores build it while nothing is timed, then its configurations
// are timed one after the other while nothing is built.
#pragma once
#include <cstddef>

#include "trial/history.h"

namespace rooftune::study {

/// Time of a trial, from the latest ones [s].
struct Pace {
  double build = 0;  ///< its compiler
  double run = 0;    ///< validating and timing
  double total = 0;  ///< of wall time, as builds and trials went
  /// With so many compilers at work at once.
  double trial(int builders) const { return build / builders + run; }
};
Pace pace(const History& history);

/// At least 1, at most 16; 1 where building is cheap beside timing, or was done before.
std::size_t batch_size(const Pace& pace, int builders);

}  // namespace rooftune::study
