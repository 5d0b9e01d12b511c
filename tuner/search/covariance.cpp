#include "search/covariance.h"

#include "search/matern.h"

namespace rooftune {
namespace {

/// Combinations of a group: a table that the nearest cache holds, filled much faster than looked
/// up.
constexpr std::size_t most_combinations = 512;

}  // namespace

CovarianceRows::CovarianceRows(const KnobDistances& distances, std::vector<double> weights,
                               const std::vector<Assignment>& points)
    : distances_(distances), weights_(std::move(weights)) {
  for (std::size_t c = 0; c < distances.knobs().size(); ++c) {
    const std::size_t knob = distances.knobs()[c];
    if (by_knob_.size() <= knob) by_knob_.resize(knob + 1);
    by_knob_[knob].values = distances.values(c);
    by_knob_[knob].numbers.push_back(c);
  }
  std::size_t combinations = most_combinations + 1;
  for (std::size_t knob = 0; knob < by_knob_.size(); ++knob) {
    const std::size_t values = by_knob_[knob].values;
    if (values == 0) continue;
    if (combinations * values > most_combinations) {
      combinations = 1;
      groups_.emplace_back().codes.resize(points.size());
    }
    combinations *= values;
    Group& group = groups_.back();
    group.knobs.push_back(knob);
    for (std::size_t p = 0; p < points.size(); ++p)
      group.codes[p] = static_cast<std::uint32_t>(group.codes[p] * values + points[p][knob]);
  }
}

void CovarianceRows::begin(const Assignment& x) {
  for (Group& group : groups_) begin(group, x);
}

void CovarianceRows::begin(Group& group, const Assignment& x) {
  group.squared.assign(1, 0);
  for (const std::size_t knob : group.knobs) {
    const Coordinates& coordinates = by_knob_[knob];
    narrower_.swap(group.squared);
    group.squared.resize(narrower_.size() * coordinates.values);
    for (std::uint32_t v = 0; v < coordinates.values; ++v) {
      double own = 0;
      for (const std::size_t c : coordinates.numbers)
        own += weights_[c] * distances_.between(c, x[knob], v);
      for (std::size_t n = 0; n < narrower_.size(); ++n)
        group.squared[n * coordinates.values + v] = narrower_[n] + own;
    }
  }
}

void CovarianceRows::row(std::size_t first, std::size_t count, double* row) const {
  for (std::size_t i = 0; i < count; ++i) row[i] = 0;
  for (const Group& group : groups_) {
    const std::uint32_t* const codes = group.codes.data() + first;
    const double* const squared = group.squared.data();
    for (std::size_t i = 0; i < count; ++i) row[i] += squared[codes[i]];
  }
  matern(row, count);
}

}  // namespace rooftune
