#include "search/distance.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rooftune::search {
namespace {

/// From this number on a value may be good or bad by itself or by its divisors (lines, banks,
/// warps), with enough values to distinguish.
constexpr std::size_t many_values = 6;
constexpr double added_weight = 1;

/// Places of the values on a line from 0 to 1; empty for values without order.
std::vector<double> coordinates(const Knob& knob) {
  std::vector<double> xs;
  for (const Value& value : knob.values) {
    if (!value.is_number() || value.is_bool()) return {};
    xs.push_back(value.real());
  }
  const auto [low, high] = std::minmax_element(xs.begin(), xs.end());
  const bool logarithmic = *low > 0 && *high >= 4 * *low;
  const double begin = logarithmic ? std::log(*low) : *low;
  const double span = (logarithmic ? std::log(*high) : *high) - begin;
  for (double& x : xs) x = ((logarithmic ? std::log(x) : x) - begin) / span;
  return xs;
}

std::vector<double> squares(const std::vector<double>& xs) {
  std::vector<double> table;
  for (const double a : xs)
    for (const double b : xs) table.push_back((a - b) * (a - b));
  return table;
}

/// How often two divides each value, scaled to [0, 1]: lines, banks, warps and vectors come in
/// powers of two. Empty where it tells no more than the order, and for other than whole numbers.
std::vector<double> halvings(const Knob& knob) {
  std::vector<double> counts;
  for (const Value& value : knob.values) {
    const double real = value.real();
    if (!(real > 0) || real != std::floor(real) || real > 1e15) return {};
    const auto whole = static_cast<std::uint64_t>(real);
    counts.push_back(std::countr_zero(whole));
  }
  const auto [low, high] = std::minmax_element(counts.begin(), counts.end());
  if (*low == *high) return {};
  const double begin = *low, span = *high - *low;
  for (double& count : counts) count = (count - begin) / span;
  return counts;
}

bool powers_of_two(const Knob& knob) {
  return std::all_of(knob.values.begin(), knob.values.end(), [](const Value& value) {
    return value.real() >= 1 && std::exp2(std::round(std::log2(value.real()))) == value.real();
  });
}

std::vector<double> sameness(std::size_t n) {
  std::vector<double> table(n * n, 1);
  for (std::size_t a = 0; a < n; ++a) table[a * n + a] = 0;
  return table;
}

}  // namespace

KnobDistances::KnobDistances(const SearchSpace& space, bool divisibility) {
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const Knob& knob = space.knobs()[k];
    const std::size_t n = knob.values.size();
    if (n < 2) continue;
    const std::vector<double> xs = coordinates(knob);
    add(k, n, xs.empty() ? sameness(n) : squares(xs), 1);
    if (xs.empty() || n < many_values || (divisibility && powers_of_two(knob))) continue;
    const std::vector<double> halved = divisibility ? halvings(knob) : std::vector<double>();
    add(k, n, halved.empty() ? sameness(n) : squares(halved), added_weight);
  }
}

void KnobDistances::add(std::size_t knob, std::size_t values, std::vector<double> table,
                        double expected) {
  knobs_.push_back(knob);
  counts_.push_back(values);
  tables_.push_back(std::move(table));
  expected_.push_back(expected);
}

}  // namespace rooftune::search
