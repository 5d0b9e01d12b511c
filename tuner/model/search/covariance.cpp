// How far two configurations are apart, knob by knob, and how their times covary.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "core/list.h"
#include "search/gaussian_process.h"

namespace rooftune::search {
namespace {

/// How many combinations a group may have: its table fits the nearest cache, and filling it takes
/// much less time than the look-ups.
constexpr size_t most_combinations = 512;

/// Beyond this the exponential is as good as 0, and its exponent would not fit a double.
constexpr double farthest = 700;

/// exp(-r). std::exp takes one value at a time and rounds as the machine's C library does; this is
/// exact to a few units in the last place and easy to vectorise: 2^-k with the nearest k, times a
/// series for the rest (|rest| <= ln(2) / 2: 0.35^13 / 13! < 2e-16).
__attribute__((always_inline)) inline double falling(double r) {
  // Adding 1.5 * 2^52 rounds to a whole number, which the low bits then hold.
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
  const uint64_t power = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return series * std::bit_cast<double>(power);
}

__attribute__((always_inline)) inline double matern_value(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance);
  const double near = r < farthest ? r : farthest;
  return (1 + near + near * near / 3) * falling(near);
}

/// With so many values there is enough to tell whether a value is good or bad by itself or by its
/// divisors (lines, banks, warps).
constexpr size_t many_values = 6;
constexpr double added_weight = 1;

/// The index of the value 0 among at least two positive numbers: there 0 mostly says "off", "none"
/// or "all" (tiles, pads, prefetch distances) and resembles no other value. Many values in equal
/// steps are a scale with a zero.
std::optional<size_t> switched_off(const Knob& knob) {
  std::optional<size_t> off;
  Numbers sorted;
  for (const size_t v : indices(knob.values)) {
    const Value& value = knob.values[v];
    if (!value.is_number() || value.is_bool() || value.real() < 0) return std::nullopt;
    if (value.real() == 0) off = v;
    sorted.push_back(value.real());
  }
  if (sorted.size() < 3) return std::nullopt;
  sort(sorted);
  bool scale = sorted.size() >= many_values;
  for (size_t v = 2; v < sorted.size() && scale; ++v)
    scale = sorted[v] - sorted[v - 1] == sorted[1] - sorted[0];
  return scale ? std::nullopt : off;
}

/// Where the values lie on a line from 0 to 1; empty for values without order. "Off" lies where the
/// least other value does.
Numbers coordinates(const Knob& knob) {
  Numbers xs;
  for (const Value& value : knob.values) {
    if (!value.is_number() || value.is_bool()) return {};
    xs.push_back(value.real());
  }
  if (const auto off = switched_off(knob)) {
    xs[*off] = HUGE_VAL;
    xs[*off] = *min_element(xs);
  }
  const auto [low, high] = std::minmax_element(xs.begin(), xs.end());
  const bool logarithmic = *low > 0 && *high >= 4 * *low;
  const double begin = logarithmic ? std::log(*low) : *low;
  const double span = (logarithmic ? std::log(*high) : *high) - begin;
  for (double& x : xs) x = ((logarithmic ? std::log(x) : x) - begin) / span;
  return xs;
}

Numbers squares(const Numbers& xs) {
  Numbers table;
  for (const double a : xs)
    for (const double b : xs) table.push_back((a - b) * (a - b));
  return table;
}

/// How often two divides each value, scaled to [0, 1]: lines, banks, warps and vectors come in
/// powers of two. Empty where all values are alike in this, and for values that are not whole
/// numbers.
Numbers halvings(const Knob& knob) {
  Numbers counts;
  for (const Value& value : knob.values) {
    const double real = value.real();
    if (!(real > 0) || real != std::floor(real) || real > 1e15) return {};
    const auto whole = uint64_t(real);
    counts.push_back(std::countr_zero(whole));
  }
  const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
  if (*low == *high) return {};
  const double begin = *low, span = *high - *low;
  for (double& count : counts) count = (count - begin) / span;
  return counts;
}

bool powers_of_two(const Knob& knob) {
  return all_of(knob.values, [](const Value& value) {
    return value.real() >= 1 && std::exp2(std::round(std::log2(value.real()))) == value.real();
  });
}

/// 1 between this value and each other.
Numbers apart(size_t n, size_t value) {
  Numbers table(n * n, 0);
  for (size_t other = 0; other < n; ++other)
    if (other != value) table[value * n + other] = table[other * n + value] = 1;
  return table;
}

Numbers sameness(size_t n) {
  Numbers table(n * n, 1);
  for (size_t a = 0; a < n; ++a) table[a * n + a] = 0;
  return table;
}

}  // namespace

KnobDistances::KnobDistances(const SearchSpace& space, bool divisibility) {
  for (const size_t k : indices(space.knobs())) {
    const Knob& knob = space.knobs()[k];
    const size_t n = knob.values.size();
    if (n < 2) continue;
    const Numbers xs = coordinates(knob);
    add(k, n, xs.empty() ? sameness(n) : squares(xs), 1);
    if (const auto off = switched_off(knob)) add(k, n, apart(n, *off), added_weight);
    if (xs.empty() || n < many_values || (divisibility && powers_of_two(knob))) continue;
    const Numbers halved = divisibility ? halvings(knob) : Numbers();
    add(k, n, halved.empty() ? sameness(n) : squares(halved), added_weight);
  }
}

void KnobDistances::add(size_t knob, size_t values, Numbers table, double expected) {
  knobs_.push_back(knob);
  counts_.push_back(values);
  tables_.push_back(std::move(table));
  expected_.push_back(expected);
}

double matern(double squared_distance) { return matern_value(squared_distance); }

ROOFTUNE_WIDE
void matern(double* values, size_t count) {
  for (size_t i = 0; i < count; ++i) values[i] = matern_value(values[i]);
}

CovarianceRows::CovarianceRows(const KnobDistances& distances, Numbers weights,
                               const Assignments& points)
    : distances_(distances), weights_(std::move(weights)) {
  for (const size_t c : indices(distances.knobs())) {
    const size_t knob = distances.knobs()[c];
    if (by_knob_.size() <= knob) by_knob_.resize(knob + 1);
    by_knob_[knob].values = distances.values(c);
    by_knob_[knob].numbers.push_back(c);
  }
  size_t combinations = most_combinations + 1;
  for (const size_t knob : indices(by_knob_)) {
    const size_t values = by_knob_[knob].values;
    if (values == 0) continue;
    if (combinations * values > most_combinations) {
      combinations = 1;
      groups_.emplace_back().codes.resize(points.size());
    }
    combinations *= values;
    Group& group = groups_.back();
    group.knobs.push_back(knob);
    for (const size_t p : indices(points))
      group.codes[p] = uint32_t(group.codes[p] * values + points[p][knob]);
  }
}

void CovarianceRows::begin(const Assignment& x) {
  for (Group& group : groups_) begin(group, x);
}

void CovarianceRows::begin(Group& group, const Assignment& x) {
  group.squared.assign(1, 0);
  for (const size_t knob : group.knobs) {
    const Coordinates& coordinates = by_knob_[knob];
    narrower_.swap(group.squared);
    group.squared.resize(narrower_.size() * coordinates.values);
    for (uint32_t v = 0; v < coordinates.values; ++v) {
      double own = 0;
      for (const size_t c : coordinates.numbers)
        own += weights_[c] * distances_.squared_distance(c, x[knob], v);
      for (const size_t n : indices(narrower_))
        group.squared[n * coordinates.values + v] = narrower_[n] + own;
    }
  }
}

void CovarianceRows::row(size_t first, size_t count, double* row) const {
  for (size_t i = 0; i < count; ++i) row[i] = 0;
  for (const Group& group : groups_) {
    const uint32_t* const codes = group.codes.data() + first;
    const double* const squared = group.squared.data();
    for (size_t i = 0; i < count; ++i) row[i] += squared[codes[i]];
  }
  matern(row, count);
}

}  // namespace rooftune::search
