// One figure for a configuration across several inputs: how far they are from their bounds. Times
// stand in the bounds' order.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/quantity.h"
#include "trial/evaluator.h"

namespace rooftune::trial {

/// The values are positive.
double geometric_mean(const Numbers& values);

class Objective {
 public:
  /// `mean`: the geometric mean of the gaps. Every input counts alike, and configurations rank the
  /// same whatever the bounds are. `minimax`: the largest gap.
  ROOFTUNE_NESTED_ENUM(Aim, mean, minimax)
  /// `bounds` [s]: the inputs', all above 0. Throws Error for fewer than two.
  Objective(Aim aim, Numbers bounds);

  Aim aim() const { return aim_; }
  const Numbers& bounds() const { return bounds_; }
  /// Geometric mean of the bounds [s]: the objective's time refers to it.
  double bound() const { return bound_; }
  double gap(const Numbers& seconds) const;
  /// The gap times bound(): for `mean` the geometric mean of the times.
  double time(const Numbers& seconds) const { return gap(seconds) * bound_; }
  Estimate time(const Estimates& seconds) const;
  /// The time [s] `input` must take for the objective's time to be `time`, with the others as in
  /// `seconds`; for `minimax` the others do not matter.
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
using EvaluatedInputs = std::vector<EvaluatedInput>;

/// Evaluates a configuration on several inputs, in the order of the objective's bounds. It reads
/// the study's history to know the best. All pointers must outlive it.
std::shared_ptr<Evaluator> many_inputs(Objective objective, EvaluatedInputs inputs,
                                       const History& history);

}  // namespace rooftune::trial
