#include "report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftune::report {
namespace {

/// Possible marks with a label within a decade, by the number of decades of the axis.
std::vector<double> labelled_marks(double decades) {
  if (decades >= 2.2) return {1};
  if (decades >= 1.1) return {1, 2, 5};
  if (decades >= 0.6) return {1, 2, 3, 5, 7};
  return {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9};
}

/// Round steps for axes so short that a logarithm looks linear.
double round_step(double span, int count) {
  const double raw = span / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double mark : {1.0, 2.0, 2.5, 5.0})
    if (mark * decade >= raw * (1 - 1e-9)) return mark * decade;
  return 10 * decade;
}

}  // namespace

double LogScale::operator()(double value) const {
  return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

std::vector<Tick> LogScale::ticks(double unit) const {
  const double decades = std::log10(high_ / low_);
  std::vector<Tick> ticks;
  if (decades < 0.35) {
    const double step = round_step((high_ - low_) / unit, 5);
    for (double k = std::ceil(low_ / unit / step - 1e-9); k * step * unit <= high_ * (1 + 1e-9);
         ++k)
      ticks.push_back({k * step * unit, tick_text(k * step)});
    return ticks;
  }
  const std::vector<double> marks = labelled_marks(decades);
  const int first = static_cast<int>(std::floor(std::log10(low_ / unit))) - 1;
  const int last = static_cast<int>(std::ceil(std::log10(high_ / unit))) + 1;
  for (int decade = first; decade <= last; ++decade)
    for (double mark = 1; mark < 10; mark += 0.5) {
      const bool labelled = std::find(marks.begin(), marks.end(), mark) != marks.end();
      const double value = mark * std::pow(10.0, decade);
      if (!labelled && mark != std::floor(mark)) continue;
      if (value * unit < low_ * (1 - 1e-9) || value * unit > high_ * (1 + 1e-9)) continue;
      ticks.push_back({value * unit, labelled ? tick_text(value) : std::string()});
    }
  return ticks;
}

std::string tick_text(double value) {
  const double magnitude = std::abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-4) return fmt::format("{:.3g}", value);
  // Four significant digits, without %g's exponent for 20000 or 0.00025.
  const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 8);
  return fmt::format("{}", std::round(value * std::pow(10, digits)) / std::pow(10, digits));
}

}  // namespace rooftune::report
