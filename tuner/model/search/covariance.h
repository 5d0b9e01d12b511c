// The covariance of times at two configurations (Matern 5/2 of their weighted distance), for many
// pairs at once: the dearest part of a Gaussian process.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/wide.h"
#include "search/distance.h"

namespace rooftune::search {

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
