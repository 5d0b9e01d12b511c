// The evaluator of one configuration for several inputs: an evaluator for each, one figure for all.
// It reads the study's history to know the best.
#pragma once
#include <string>
#include <vector>

#include "trial/evaluator.h"
#include "trial/objective.h"

namespace rooftune::trial {

struct EvaluatedInput {
  std::string name;  ///< for people: "n=1000"
  Evaluator* evaluator;
};

class ManyInputs : public Evaluator {
 public:
  /// All pointers must outlive it. Inputs in the order of the objective's bounds.
  ManyInputs(Objective objective, std::vector<EvaluatedInput> inputs, const History& history);
  void build(const std::vector<Configuration>& configurations) override;
  /// Input after input, the one with the best's largest gap first. A configuration unable to win
  /// even with the rest at its bound is dropped, with the proof in `detail`: such a trial is ok,
  /// and its measurement is not complete(). A failure on one input is the failure of the trial.
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override;
  /// Rounds of one input after those of another, interleaved within each. `between` is never
  /// called: no moment lies between two rounds of all.
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between = {}) override;

 private:
  /// The trial compared with this one by the session.
  const Measurement* incumbent(std::optional<double> seconds) const;
  std::vector<std::size_t> order(const Measurement* best) const;
  /// The least final times [s] of the trial: measured ones, and for the rest the bound.
  std::vector<double> least(const Measurement& known, const Measurement& best) const;
  std::string why_dominated(const Measurement& known, const Measurement& best) const;
  void conclude(Measurement& all, const Measurement* best) const;
  std::string name_of(std::size_t input) const;

  Objective objective_;
  std::vector<EvaluatedInput> inputs_;
  const History& history_;
};

}  // namespace rooftune::trial
