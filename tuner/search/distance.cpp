#include "search/distance.h"

#include <algorithm>
#include <cmath>

namespace rooftune {
namespace {

/// From here on a value may be good or bad by itself or by what divides it (lines, banks, warps),
/// and there are enough values to tell.
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

std::vector<double> sameness(std::size_t n) {
  std::vector<double> table(n * n, 1);
  for (std::size_t a = 0; a < n; ++a) table[a * n + a] = 0;
  return table;
}

}  // namespace

KnobDistances::KnobDistances(const SearchSpace& space) {
  for (std::size_t k = 0; k < space.knobs().size(); ++k) {
    const Knob& knob = space.knobs()[k];
    const std::size_t n = knob.values.size();
    if (n < 2) continue;
    const std::vector<double> xs = coordinates(knob);
    add(k, n, xs.empty() ? sameness(n) : squares(xs), 1);
    if (xs.empty() || n < many_values) continue;
    add(k, n, sameness(n), added_weight);
  }
}

void KnobDistances::add(std::size_t knob, std::size_t values, std::vector<double> table,
                        double expected) {
  knobs_.push_back(knob);
  counts_.push_back(values);
  tables_.push_back(std::move(table));
  expected_.push_back(expected);
}

}  // namespace rooftune
