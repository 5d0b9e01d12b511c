// One figure for a configuration across several inputs: their distances from their bounds. Times
// are in the order of the bounds.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/quantity.h"
#include "trial/evaluator.h"

namespace rooftune::trial {

class Objective {
 public:
  /// `mean`: the geometric mean of the gaps. Every input counts alike, and the order of
  /// configurations does not depend on the bounds. `minimax`: the largest gap.
  ROOFTUNE_NESTED_ENUM(Aim, mean, minimax)
  /// `bounds` [s] of the inputs, all above 0. Throws Error for fewer than two.
  Objective(Aim aim, Numbers bounds);

  Aim aim() const { return aim_; }
  const Numbers& bounds() const { return bounds_; }
  /// Geometric mean of the bounds [s]: the reference of the objective's time.
  double bound() const { return bound_; }
  double gap(const Numbers& seconds) const;
  /// The gap times bound(): for `mean` the geometric mean of the times.
  double time(const Numbers& seconds) const { return gap(seconds) * bound_; }
  Estimate time(const std::vector<Estimate>& seconds) const;
  /// The time [s] of `input` for an objective's time of `time`, the others being as they are in
  /// `seconds`; for `mean` any others, for `minimax` they do not matter.
  double share(double time, Numbers seconds, size_t input) const;

 private:
  Aim aim_;
  Numbers bounds_;
  double bound_ = 0;
};

/// "the geometric mean of the gaps", "the largest gap".
std::string described(Objective::Aim aim);

struct EvaluatedInput {
  std::string name;  ///< for people: "n=1000"
  Evaluator* evaluator;
};

/// The evaluator of one configuration for several inputs, in the order of the objective's bounds.
/// It reads the study's history to know the best. All pointers must outlive it.
std::shared_ptr<Evaluator> many_inputs(Objective objective, std::vector<EvaluatedInput> inputs,
                                       const History& history);

}  // namespace rooftune::trial
