// Distance of two configurations, knob by knob, weighted; and the covariance of their times (Matern
// 5/2 of the distance), for many pairs at once: the dearest part of a Gaussian process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/wide.h"
#include "space/search_space.h"

namespace rooftune::search {

/// Squared distances between the values of every knob, each scaled to [0, 1]: by logarithm where
/// positive numbers span a factor of four, linearly for other numbers, 0 or 1 for texts and truths.
/// Numbers of many values have one more coordinate: the exponent of two among their factors, or,
/// where unwanted or constant, whether they are the same at all.
class KnobDistances {
 public:
  explicit KnobDistances(const SearchSpace& space, bool divisibility = false);
  /// The knob of each coordinate, by number; knobs with one value have none.
  const std::vector<std::size_t>& knobs() const { return knobs_; }
  /// Expected weight of each coordinate: the added ones less.
  const std::vector<double>& expected_weights() const { return expected_; }
  /// How many values the knob of coordinate `c` has.
  std::size_t values(std::size_t c) const { return counts_[c]; }
  /// Of coordinate `c` between two values of its knob, by number.
  double squared_distance(std::size_t c, std::size_t a, std::size_t b) const {
    return tables_[c][a * counts_[c] + b];
  }
  /// Of coordinate `c` between the values of two points.
  double squared(std::size_t c, const Assignment& a, const Assignment& b) const {
    return squared_distance(c, a[knobs_[c]], b[knobs_[c]]);
  }
  /// Sum over the coordinates with weights.
  double squared(const std::vector<double>& weights, const Assignment& a,
                 const Assignment& b) const {
    double sum = 0;
    for (std::size_t c = 0; c < knobs_.size(); ++c) sum += weights[c] * squared(c, a, b);
    return sum;
  }

 private:
  void add(std::size_t knob, std::size_t values, std::vector<double> table, double expected);
  std::vector<std::size_t> knobs_, counts_;
  std::vector<std::vector<double>> tables_;
  std::vector<double> expected_;
};

/// Matern 5/2 of a squared weighted distance, finite and not negative.
double matern(double squared_distance);
/// The same of `count` squared distances, in place.
void matern(double* values, std::size_t count);

/// The covariances of one configuration with a fixed set of others, many times over. Knobs are
/// taken together in groups, so one look-up gives their sum of distances.
class CovarianceRows {
 public:
  CovarianceRows(const KnobDistances& distances, std::vector<double> weights,
                 const std::vector<Assignment>& points);
  /// Sets the configuration of the next rows.
  void begin(const Assignment& x);
  /// Of points [first, first + count), to `row`. After begin().
  void row(std::size_t first, std::size_t count, double* row) const;

 private:
  struct Group {
    std::vector<std::size_t> knobs;
    std::vector<std::uint32_t> codes;  ///< by point: number of its combination of values
    std::vector<double> squared;       ///< by combination: weighted, from the begun configuration
  };
  struct Coordinates {
    std::size_t values = 0;
    std::vector<std::size_t> numbers;
  };
  void begin(Group& group, const Assignment& x);
  const KnobDistances& distances_;
  std::vector<double> weights_;
  std::vector<Coordinates> by_knob_;
  std::vector<Group> groups_;
  std::vector<double> narrower_;
};

}  // namespace rooftune::search
