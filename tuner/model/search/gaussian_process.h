// A Gaussian process over configurations (Rasmussen & Williams 2006, chapter 2): the time expected
// for an untried one, and how uncertain that is.
//
// K = L L' are the observations' covariances, k a candidate's with them. Then the candidate's mean
// is (L^-1 k)'(L^-1 y) and its variance 1 - |L^-1 k|^2. A new observation adds a row to L and one
// number to each L^-1 k: the stored data grow, nothing is solved again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/list.h"
#include "core/wide.h"
#include "space/search_space.h"

namespace rooftune::search {

/// Squared distances between every knob's values, scaled to [0, 1]: by logarithm where positive
/// numbers span a factor of four, linearly for other numbers, 0 or 1 for texts and truths. A knob
/// with a value for "off" has one more coordinate, 1 between "off" and the others. A number knob
/// with many values has one more: how often two divides a value (not for powers of two, where that
/// is the order itself), or, where unwanted or constant, whether values are the same at all.
class KnobDistances {
 public:
  explicit KnobDistances(const SearchSpace& space, bool divisibility = false);
  /// Each coordinate's knob, by number; knobs with one value have no coordinate.
  const Indices& knobs() const { return knobs_; }
  /// Each coordinate's expected weight.
  const Numbers& expected_weights() const { return expected_; }
  /// How many values the knob of coordinate `c` has.
  size_t values(size_t c) const { return counts_[c]; }
  /// Squared distance in coordinate `c` between two values of its knob, by number.
  double squared_distance(size_t c, size_t a, size_t b) const {
    return tables_[c][a * counts_[c] + b];
  }
  /// Squared distance in coordinate `c` between the values of two points.
  double squared(size_t c, const Assignment& a, const Assignment& b) const {
    return squared_distance(c, a[knobs_[c]], b[knobs_[c]]);
  }
  /// The weighted sum over all coordinates.
  double squared(const Numbers& weights, const Assignment& a, const Assignment& b) const {
    double sum = 0;
    for (const size_t c : indices(knobs_)) sum += weights[c] * squared(c, a, b);
    return sum;
  }

 private:
  void add(size_t knob, size_t values, Numbers table, double expected);
  Indices knobs_, counts_;
  NumberRows tables_;
  Numbers expected_;
};

/// Matern 5/2 for a squared weighted distance, finite and not negative.
double matern(double squared_distance);
/// The same for `count` squared distances, in place.
void matern(double* values, size_t count);

/// One configuration's covariances with a fixed set of others, many times over. Knobs are taken
/// together in groups, so one look-up gives the sum of their distances.
class CovarianceRows {
 public:
  CovarianceRows(const KnobDistances& distances, Numbers weights, const Assignments& points);
  /// Sets the configuration for the next rows.
  void begin(const Assignment& x);
  /// Writes the covariances of points [first, first + count) to `row`. After begin().
  void row(size_t first, size_t count, double* row) const;

 private:
  struct Group {
    Indices knobs;
    std::vector<uint32_t> codes;  ///< by point: which combination of values it has
    Numbers squared;              ///< by combination: weighted, from the begun configuration
  };
  struct Coordinates {
    size_t values = 0;
    Indices numbers;
  };
  void begin(Group& group, const Assignment& x);
  const KnobDistances& distances_;
  Numbers weights_;
  std::vector<Coordinates> by_knob_;
  std::vector<Group> groups_;
  Numbers narrower_;
};

/// Added to an observation's variance: keeps the factorisation stable where rows are nearly equal.
inline constexpr double jitter = 1e-8;

/// The learnt kernel's parameters (automatic relevance determination): a weight for each
/// coordinate, and the noise.
struct GpHyperparameters {
  Numbers weights;      ///< by coordinate of KnobDistances
  double noise = 1e-2;  ///< variance, the process itself having 1
};

/// The hyperparameters with the largest marginal likelihood (Rasmussen & Williams 2006, eq. 5.8)
/// that a coordinate search reaches from `start`, with a log-normal prior for the weights; `sweeps`
/// times over all coordinates. `noises`: see Posterior.
GpHyperparameters fitted_hyperparameters(const KnobDistances& distances, const AssignmentRefs& xs,
                                         const Numbers& ys, GpHyperparameters start, int sweeps,
                                         const Numbers& noises = {});

/// Means and variances at a fixed set of candidates, extended observation by observation in
/// O(candidates x observations) each.
class Posterior {
 public:
  Posterior(const KnobDistances& distances, GpHyperparameters hyperparameters,
            Assignments candidates, size_t capacity);
  /// Up to `capacity` observations; `y` has the caller's mean and scale; `noise`: its own variance
  /// beside the common one, the process itself having 1.
  void observe(const Assignment& x, double y, double noise = 0) { observe({&x}, {y}, {noise}); }
  /// Many at once: faster. Without `noises` no observation has its own.
  void observe(const AssignmentRefs& xs, const Numbers& ys, const Numbers& noises = {});
  /// A failure or a success: only feasibility is learnt from it. `times`: how many like trials it
  /// stands for.
  void observe_feasibility(const Assignment& x, bool ran, double times = 1);
  size_t size() const { return xs_.size(); }
  bool full() const { return xs_.size() == capacity_; }
  const Assignments& candidates() const { return candidates_; }
  double mean(size_t candidate) const { return mean_[candidate]; }
  double variance(size_t candidate) const;
  /// How probably the candidate runs: the share of successful trials, weighed by nearness, with one
  /// more trial that succeeds with probability `prior`.
  double feasibility(size_t candidate, double prior) const;
  /// y' K^-1 y / n: the process's scale.
  double signal() const;

 private:
  /// Adds one more row to the Cholesky factor, and one to L^-1 y.
  void extend_factor(const Assignment& x, double y, double noise);
  /// L^-1 k for a block of candidates, from observation `first` on.
  void project(size_t block, size_t first);

  const KnobDistances& distances_;
  GpHyperparameters hyperparameters_;
  Assignments candidates_;
  size_t capacity_;
  CovarianceRows rows_;
  Assignments xs_;
  NumberRows factor_;  ///< rows of the Cholesky factor
  Numbers solved_;     ///< L^-1 y
  /// L^-1 k: by block of candidates, then by observation, then by candidate in the block, so an
  /// observation is one sweep over neighbouring numbers.
  Numbers projections_;
  Numbers mean_, explained_;      ///< by candidate; explained: |L^-1 k|^2
  Numbers feasible_mass_, mass_;  ///< by candidate: nearness of successes, of all
};

}  // namespace rooftune::search
