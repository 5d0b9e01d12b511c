// A search guided by a Gaussian process that models the time's logarithm: it goes where the
// expected improvement is largest, weighed by the probability to run at all. bayes_gp and roofline
// are this class.
//
// Trials to cover the space come first. Then the model is learnt: hyperparameters from the trials
// (again when they grew by a sixth), the posterior at up to 5000 candidates, extended by each
// further trial. Logarithms, as knobs multiply times and noise is a share of the time.
#pragma once
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "core/list.h"
#include "search/forecast.h"
#include "search/gaussian_process.h"
#include "search/search_state.h"

namespace rooftune::search {

/// A space with so many configurations is vast: searched near its best.
inline constexpr uint64_t vast = 100'000;

struct ModelPolicy {
  /// What the covering trials prefer; the model shares its expectations.
  Preference before;
  /// Whether the model asks how often two divides a value.
  bool divisibility = false;
  /// Every n-th proposal is the best's most promising neighbour instead; 0 = never.
  size_t exploit_every = 0;
  /// By knob: how much it is expected to matter, 1 = as any; empty = all alike.
  Numbers relevance;
  /// What knobs declare (expected_of_declarations); empty where they declare nothing.
  Expected declared;
  /// Seeks improvement per second that a trial takes, where trials have a duration.
  bool per_second = false;
  /// A time the configuration cannot beat [s]; candidates that cannot beat the best are left out.
  std::function<std::optional<double>(uint64_t)> lower_bound;
};

class ModelSearch : public SearchState {
 public:
  ModelSearch(const SearchSpace& the_space, ModelPolicy policy);
  void add(const Observation& observed) override;
  /// Takes the model's own mean for its time (the kriging believer of Ginsbourger, Le Riche &
  /// Carraro 2010): the model is surer there, and looks elsewhere.
  void suppose(const Observation& pending) override;
  std::optional<uint64_t> propose(Rng& rng) const override;

 private:
  /// A point's number among the model's candidates.
  std::optional<size_t> number_of(const Assignment& point) const;
  /// Learns the hyperparameters anew, from the fastest trials and a spread over the others.
  void learn(uint64_t entropy);
  /// Builds the posterior for the hyperparameters at hand.
  void condition(uint64_t entropy);
  /// So few configurations that all are candidates.
  bool enumerable() const;
  bool is_vast() const;
  /// By knob: in which share of the first trials it may change.
  Numbers changed_at_first() const;
  void choose_observations();
  /// The observation's own variance, in units of the variance over all.
  double noise_of(const Observation& observed) const;
  /// Gives the posterior successes and failures, after the first failure: until then all run.
  void learn_feasibility();
  Assignments candidates(uint64_t entropy);
  double expected(const Assignment& point) const {
    return policy_.before.expected ? policy_.before.expected(point) : 0;
  }
  /// The model's logarithm of a candidate's time, less mean_.
  double mean(size_t candidate) const { return posterior_->mean(candidate) + expected_[candidate]; }
  /// A candidate's expected improvement over its price, from its gain and deviation.
  double improvement(size_t candidate, double gain, double deviation) const;
  /// What a trial's cost counts for [s], 1 where it is not known.
  double price(size_t candidate) const;
  bool dominated(uint64_t index) const;
  /// How many trials this search chose itself.
  size_t own_trials() const { return all().size() - apart_; }
  std::optional<uint64_t> most_promising() const;
  std::optional<uint64_t> best_neighbour() const;
  /// The speed-up (logarithm) that declarations promise for a neighbour of the best with a value
  /// that no good trial has; 0 for others.
  double declared_gain(const Assignment& neighbour,
                       const std::vector<std::vector<bool>>& good) const;

  ModelPolicy policy_;
  Assignment baseline_;
  std::shared_ptr<const KnobDistances> distances_;  ///< copies share it, and posteriors refer to it
  size_t first_;                                    ///< trials before there is a model
  size_t apart_ = 0;                                ///< trials in ModelPolicy::before.apart
  size_t next_learning_ = 0;
  GpHyperparameters hyperparameters_;
  std::optional<Posterior> posterior_;
  AssignmentRefs xs_;
  Numbers ys_, noises_;
  double spread_ = 1;  ///< the variance in ys_
  double mean_ = 0;
  Numbers expected_;  ///< by candidate
  TrialCost cost_;
  Numbers costs_;           ///< by candidate, a trial's [s]; empty where not known
  double cheapest_ = 0;     ///< among them
  size_t ran_ = 0;          ///< trials without failure
  bool disproved_ = false;  ///< a trial beat its lower bound: all are ignored from then on
};

}  // namespace rooftune::search
