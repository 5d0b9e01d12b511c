// A Gaussian process over configurations: what a time may be where nothing was tried, and how sure
// that is.
// The caller owes distances of the space and logarithms of times.
#pragma once
#include <vector>

#include "search/distance.h"

namespace rooftune {

/// Matern 5/2 of a squared weighted distance.
double matern(double squared_distance);

/// What the kernel learnt: how much each coordinate matters, and the share of noise.
struct KernelShape {
  std::vector<double> weights;  ///< by coordinate of KnobDistances
  double noise = 1e-2;          ///< variance, the process itself having 1
};

/// The shape with the largest marginal likelihood (Rasmussen & Williams 2006, eq. 5.8) that a
/// coordinate search from `start` finds, with a log-normal prior of the weights; `sweeps` times
/// over all coordinates.
KernelShape learnt_shape(const KnobDistances& distances, const std::vector<const Assignment*>& xs,
                         const std::vector<double>& ys, KernelShape start, int sweeps);

/// Means and variances at a fixed set of candidates, extended observation by observation in
/// O(candidates x observations) each.
class Posterior {
 public:
  Posterior(const KnobDistances& distances, KernelShape shape, std::vector<Assignment> candidates,
            std::size_t capacity);
  /// Up to `capacity` observations; `y` as in the mean and scale of the caller.
  void observe(const Assignment& x, double y);
  /// Where something failed or ran: only the chance of running is learnt from it.
  void witness(const Assignment& x, bool ran);
  std::size_t size() const { return xs_.size(); }
  bool full() const { return xs_.size() == capacity_; }
  const std::vector<Assignment>& candidates() const { return candidates_; }
  double mean(std::size_t candidate) const { return mean_[candidate]; }
  double variance(std::size_t candidate) const;
  /// Chance that the candidate runs: a mean of witnesses by nearness, with one prior witness.
  double chance(std::size_t candidate, double prior) const;
  /// y' K^-1 y / n: the scale of the process.
  double signal() const;

 private:
  const KnobDistances& distances_;
  KernelShape shape_;
  std::vector<Assignment> candidates_;
  std::size_t capacity_;
  std::vector<Assignment> xs_;
  std::vector<std::vector<double>> factor_;  ///< rows of the Cholesky factor
  std::vector<double> solved_;               ///< L^-1 y
  std::vector<double> projections_;          ///< L^-1 k by candidate, capacity_ each
  std::vector<double> mean_, explained_, ran_, seen_;
};

}  // namespace rooftune
