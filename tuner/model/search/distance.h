// Distance of two configurations: knob by knob, weighted.
#pragma once
#include <vector>

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

}  // namespace rooftune::search
