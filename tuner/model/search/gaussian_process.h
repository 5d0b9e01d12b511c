// A Gaussian process over configurations (Rasmussen & Williams 2006, chapter 2): the expected time
// of an untried one, and its uncertainty.
//
// With K = L L' the covariances of the observations and k those of a candidate with them, the mean
// of the candidate is (L^-1 k)'(L^-1 y), its variance 1 - |L^-1 k|^2. A new observation adds a row
// to L and one number to each L^-1 k: the stored data grow, nothing is solved again.
#pragma once
#include <vector>

#include "search/covariance.h"

namespace rooftune::search {

/// Added to the variance of an observation: keeps the factorisation of nearly equal rows stable.
inline constexpr double jitter = 1e-8;

/// Parameters of the learnt kernel (automatic relevance determination): the weight of each
/// coordinate, and the share of noise.
struct GpHyperparameters {
  std::vector<double> weights;  ///< by coordinate of KnobDistances
  double noise = 1e-2;          ///< variance, the process itself having 1
};

/// The hyperparameters with the largest marginal likelihood (Rasmussen & Williams 2006, eq. 5.8)
/// within reach of a coordinate search from `start`, with a log-normal prior of the weights;
/// `sweeps` times over all coordinates. `noises`: see Posterior.
GpHyperparameters fitted_hyperparameters(const KnobDistances& distances,
                                         const std::vector<const Assignment*>& xs,
                                         const std::vector<double>& ys, GpHyperparameters start,
                                         int sweeps, const std::vector<double>& noises = {});

/// Means and variances at a fixed set of candidates, extended observation by observation in
/// O(candidates x observations) each.
class Posterior {
 public:
  Posterior(const KnobDistances& distances, GpHyperparameters hyperparameters,
            std::vector<Assignment> candidates, std::size_t capacity);
  /// Up to `capacity` observations; `y` as in the mean and scale of the caller; `noise`: its own
  /// variance beside that of all, the process itself having 1.
  void observe(const Assignment& x, double y, double noise = 0) { observe({&x}, {y}, {noise}); }
  /// Many at once: faster. Without `noises` none has one of its own.
  void observe(const std::vector<const Assignment*>& xs, const std::vector<double>& ys,
               const std::vector<double>& noises = {});
  /// A failure or a success: only feasibility is learnt from it. `times`: number of like trials.
  void observe_feasibility(const Assignment& x, bool ran, double times = 1);
  std::size_t size() const { return xs_.size(); }
  bool full() const { return xs_.size() == capacity_; }
  const std::vector<Assignment>& candidates() const { return candidates_; }
  double mean(std::size_t candidate) const { return mean_[candidate]; }
  double variance(std::size_t candidate) const;
  /// Probability of a successful run of the candidate: the share of successful trials, weighed by
  /// nearness, with one more trial, successful with probability `prior`.
  double feasibility(std::size_t candidate, double prior) const;
  /// y' K^-1 y / n: the scale of the process.
  double signal() const;

 private:
  /// One more row of the Cholesky factor, and of L^-1 y.
  void extend_factor(const Assignment& x, double y, double noise);
  /// L^-1 k of a block of candidates, from observation `first` on.
  void project(std::size_t block, std::size_t first);

  const KnobDistances& distances_;
  GpHyperparameters hyperparameters_;
  std::vector<Assignment> candidates_;
  std::size_t capacity_;
  CovarianceRows rows_;
  std::vector<Assignment> xs_;
  std::vector<std::vector<double>> factor_;  ///< rows of the Cholesky factor
  std::vector<double> solved_;               ///< L^-1 y
  /// L^-1 k: by block of candidates, then by observation, then by candidate of the block, so an
  /// observation is one sweep over neighbouring numbers.
  std::vector<double> projections_;
  std::vector<double> mean_, explained_;      ///< by candidate; explained: |L^-1 k|^2
  std::vector<double> feasible_mass_, mass_;  ///< by candidate: nearness of successes, of all
};

}  // namespace rooftune::search
