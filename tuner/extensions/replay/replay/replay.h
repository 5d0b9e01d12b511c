// A recorded space as if it were measured now: the recorded time of a configuration, with the
// recorded noise where the record has repeats.
#pragma once
#include <optional>
#include <vector>

#include "core/rng.h"
#include "replay/module.h"
#include "replay/recording.h"

namespace rooftune::replay {

struct Replay {
  /// Throws Error when nothing in the recording ran.
  explicit Replay(const Recording& recording);
  /// The repeats are drawn anew from the recorded ones (bootstrap), always the same for one seed
  /// and configuration; a configuration without a record is refused.
  Trial evaluate(const Configuration& configuration, std::uint64_t seed) const;
  /// Recorded times of all that ran, ascending.
  std::vector<double> times() const;

  SearchSpace space;
  std::vector<RecordedResult> results;       ///< by index in the space
  std::vector<std::optional<double>> truth;  ///< the recorded time [s]; nullopt when it failed
  double optimum = 0;                        ///< the least recorded time [s] and where it was
  std::uint64_t optimum_index = 0;
};

}  // namespace rooftune::replay
