// What a study's trials say about configurations that were not tried.
#pragma once
#include <set>
#include <vector>

#include "core/list.h"
#include "search/search_state.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "trial/trial.h"

namespace rooftune::search {

/// So many trials teach a model; a quarter of its posterior's room is kept for trials to come.
inline constexpr size_t most_observations = 160, most_to_learn = most_observations * 3 / 4;
/// Keeps the trials to learn from, given best first: the better half of the room shows where the
/// optimum is, an even spread over the others keeps the model from expecting it among the slow.
template <class Ran>
void keep_for_learning(std::vector<Ran>& ran) {
  if (ran.size() <= most_to_learn) return;
  constexpr size_t half = most_to_learn / 2;
  const size_t others = ran.size() - half;
  for (size_t i = 0; i < half; ++i) ran[half + i] = ran[half + i * others / half];
  ran.resize(most_to_learn);
}

/// Mean of max(0, X), X normal with mean `gain` and this deviation: what a trial gains over the
/// best on average, since a slower one may be given up (Jones, Schonlau & Welch 1998).
double expected_improvement(double gain, double deviation);

/// By how much each of these allowed configurations is expected to beat the best trial, where a
/// worse outcome counts as 0: a natural logarithm, so small gains are shares. A Gaussian process
/// learns this from at most 120 trials, the best among them. Empty where fewer than eight ran.
Numbers expected_gains(const SearchSpace& space, const History& history,
                       const Configurations& configurations);

/// Each configuration's mean logarithm of the time in the same model. Empty where fewer than eight
/// ran.
Numbers expected_logarithms(const SearchSpace& space, const History& history,
                            const Configurations& configurations);

/// A figure's logarithm as a sum over what each value contributes, shrunk towards nothing where
/// points are few.
struct ValueEffects {
  bool known = false;
  double mean = 0;    ///< the logarithms'
  NumberRows values;  ///< by knob and value
  /// 0 where nothing is known.
  double logarithm(const Assignment& point) const;
};
/// Learnt from positive figures; `compiled`: only values that a compiler sees contribute.
using Figures = std::vector<std::pair<const Assignment*, double>>;
ValueEffects value_effects(const Figures& figures, const SearchSpace& space, bool compiled = false);

/// Learns building and running separately: a built variant needs only the run.
class TrialCost {
 public:
  explicit TrialCost(const SearchSpace& space) : space_(space) {}
  void learn(const Observations& trials);
  /// False for trials without a duration, as in a replay.
  bool known() const { return run_.known; }
  /// [s]
  double operator()(const Assignment& point) const;

 private:
  /// The values of those knobs that a compiler sees.
  Assignment built_from(const Assignment& point) const;

  const SearchSpace& space_;
  ValueEffects build_, run_;
  std::set<Assignment> built_;
};

}  // namespace rooftune::search
