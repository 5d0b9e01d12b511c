#include "search/covariance.h"

#include <bit>
#include <cmath>

namespace rooftune::search {
namespace {

/// Most combinations of a group: a table for the nearest cache, filled much faster than looked up.
constexpr std::size_t most_combinations = 512;

/// Beyond this the exponential is as good as 0, and its exponent would leave the range of a double.
constexpr double farthest = 700;

/// exp(-r), as std::exp is called one value at a time and rounds as the C library of the machine
/// does. To a few units in the last place, of operations easy to vectorise: 2^-k of the nearest k,
/// and a series of the rest (|rest| <= ln(2) / 2: 0.35^13 / 13! < 2e-16).
__attribute__((always_inline)) inline double falling(double r) {
  // Adding 1.5 * 2^52 rounds to a whole number, then found in the low bits.
  constexpr double rounder = 6755399441055744.0;
  constexpr double ln2_high = 0.693145751953125, ln2_low = 1.42860682030941723212e-6;
  const double shifted = rounder - r * 1.4426950408889634;
  const double k = shifted - rounder;
  const double x = -r - k * ln2_high - k * ln2_low;
  double series = 1.0 / 39916800 + x * (1.0 / 479001600);
  series = 1.0 / 362880 + x * (1.0 / 3628800 + x * series);
  series = 1.0 / 5040 + x * (1.0 / 40320 + x * series);
  series = 1.0 / 120 + x * (1.0 / 720 + x * series);
  series = 1.0 / 6 + x * (1.0 / 24 + x * series);
  series = 1 + x * (1 + x * (0.5 + x * series));
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return series * std::bit_cast<double>(power);
}

__attribute__((always_inline)) inline double matern_value(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  const double near = r < farthest ? r : farthest;
  return (1 + near + near * near / 3) * falling(near);
}

}  // namespace

double matern(double squared_distance) { return matern_value(squared_distance); }

ROOFTUNE_WIDE
void matern(double* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = matern_value(values[i]);
}

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
        own += weights_[c] * distances_.squared_distance(c, x[knob], v);
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

}  // namespace rooftune::search
