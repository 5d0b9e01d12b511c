#include "report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

LogScale::LogScale(double low, double high, double from, double to)
    : low_(low), high_(high), from_(from), to_(to) {}

double LogScale::operator()(double value) const {
  return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

double LogScale::inverse(double position) const {
  return low_ * std::pow(high_ / low_, (position - from_) / (to_ - from_));
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
  std::vector<double> all = marks;
  for (int minor = 2; minor <= 9; ++minor) all.push_back(minor);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (int decade = first; decade <= last; ++decade)
    for (const double mark : all) {
      const double value = mark * std::pow(10.0, decade);
      if (value * unit < low_ * (1 - 1e-9) || value * unit > high_ * (1 + 1e-9)) continue;
      const bool labelled = std::find(marks.begin(), marks.end(), mark) != marks.end();
      ticks.push_back({value * unit, labelled ? tick_text(value) : std::string()});
    }
  return ticks;
}

LinearScale::LinearScale(double low, double high, double from, double to)
    : low_(low), high_(high), from_(from), to_(to) {}

double LinearScale::operator()(double value) const {
  return from_ + (to_ - from_) * (value - low_) / (high_ - low_);
}

std::vector<Tick> LinearScale::ticks(int count) const {
  const double step = std::max(1.0, round_step(high_ - low_, count));
  std::vector<Tick> ticks;
  for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k)
    if (std::floor(k * step) == k * step) ticks.push_back({k * step, tick_text(k * step)});
  return ticks;
}

std::string tick_text(double value) {
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude >= 1e6 || magnitude < 1e-4) return fmt::format("{:.3g}", value);
  // Four significant digits, without %g's exponent for 20000 or 0.00025.
  const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 8);
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

AxisUnit axis_unit(double typical, const std::string& unit) {
  static constexpr std::array<std::pair<double, const char*>, 6> prefixes{
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
  const std::string base = unit == "flop" ? "FLOP/s" : unit + "/s";
  // Items are words, so their prefix stands apart: "G element/s".
  const bool joined = unit == "flop" || unit == "B";
  for (const auto& [factor, prefix] : prefixes)
    if (typical >= factor)
      return {factor, fmt::format("{}{}{}", prefix, joined || *prefix == 0 ? "" : " ", base)};
  return {1, base};
}

}  // namespace rooftune::report
