// Turns a configuration into a trial; the session sees only this, so tests replay without a
// compiler.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "core/interrupted.h"
#include "trial/history.h"

namespace rooftune::trial {

/// A configuration whose result was right once, and wrong when it was looked at again.
struct Refuted {
  Configuration configuration;
  std::string detail;
};

/// One paired, interleaved re-measurement of several configurations.
struct Rounds {
  /// seconds[r][c]: per call, round r, configuration c (order inside a round was shuffled).
  std::vector<std::vector<double>> seconds;
  /// The same in energy [J], in studies that rank by it; else empty.
  std::vector<std::vector<double>> joules = {};
  /// The seconds per input ([input][round][configuration]) where `seconds` are those of an
  /// Objective.
  std::vector<std::vector<std::vector<double>>> inputs = {};
  std::string
      fault;  ///< not empty: a configuration failed on re-measurement; the rounds before it stand
  std::optional<std::size_t> at_fault = {};  ///< which of them, where it was one
  /// Looked at after the last round. Then there are no rounds: they timed something else.
  std::vector<Refuted> refuted = {};
};

/// Called after every round of a race, while nothing of it runs.
using Between = std::function<void()>;

/// All throw Interrupted when the user wants an end: what they were at is given up.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Builds what will be evaluated or raced, side by side where it can, and returns when all is
  /// built, so that nothing else runs while they are timed. What fails to build fails when it is
  /// evaluated.
  virtual void build(const std::vector<Configuration>&) {}
  /// Builds, validates, times. `incumbent` [s] lets it drop a dominated variant early and sets the
  /// deadline. Never throws for what the variant does.
  virtual Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) = 0;
  /// Re-measures validated configurations in `rounds` interleaved rounds; order from `seed`.
  virtual Rounds race(const std::vector<Configuration>& configurations, int rounds,
                      std::uint64_t seed, const Between& between = {}) = 0;
};

}  // namespace rooftune::trial
