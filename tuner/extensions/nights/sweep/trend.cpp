// A chart of one series' times over its nights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <sstream>

#include "core/list.h"
#include "report/figures.h"
#include "report/svg.h"
#include "sweep/formats.h"

namespace rooftune::sweep {
namespace {

constexpr double width = 860, height = 262, left = 46, right = width - 6, top = 12,
                 bottom = height - 20, tick_size = 10;

/// Days since 1970 for "2026-11-23T16:10:19Z"; nullopt for another text.
std::optional<double> days_of(const std::string& date) {
  std::tm time{};
  std::istringstream text(date);
  if (!(text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%SZ"))) return std::nullopt;
  return double(timegm(&time)) / 86400;
}

/// Where the nights stand: by date, or one after the other where a date is unknown.
Numbers positions(const Series& series) {
  constexpr double from = left + 6, to = right - 6;
  Numbers days;
  for (const Night& night : series.nights) {
    const auto day = days_of(night.date);
    if (!day) break;
    days.push_back(*day);
  }
  if (days.size() < series.nights.size()) {
    days.clear();
    for (const size_t i : indices(series.nights)) days.push_back(double(i));
  }
  const double first = days.front(), span = days.back() - first;
  for (double& day : days)
    day = span > 0 ? from + (to - from) * (day - first) / span : (from + to) / 2;
  return days;
}

/// A time that can be drawn: a bad file may not break the axis.
std::optional<double> time_in(const Night& night) {
  return night.seconds && night.seconds->value > 0 ? std::optional(night.seconds->value)
                                                   : std::nullopt;
}

/// An axis around times, wide enough for noise to look like noise.
LogScale axis_around(const Numbers& times) {
  constexpr double least_half_span = 1.06, margin = 1.02;
  const auto [low, high] = std::ranges::minmax_element(times);
  const double middle = std::sqrt(*low * *high);
  return {std::min(*low / margin, middle / least_half_span),
          std::max(*high * margin, middle * least_half_span), bottom, top};
}

std::string night_text(const Series& series, size_t i) {
  const Night& night = series.nights[i];
  std::string text = night.date.substr(0, 10);
  if (night.seconds) text += ": " + seconds_text(night.seconds->value);
  const std::string word = comparison_text({series, night});
  if (!word.empty()) text += ", " + word;
  if (i > 0 && night.compiler != series.nights[i - 1].compiler) text += ", " + night.compiler;
  return text;
}

/// What all parts of a chart use.
struct Trend {
  Markup& svg;
  const Series& series;
  Numbers x;

  /// A line through the nights with a time, as one path with gaps elsewhere.
  void line(const LogScale& y) const {
    std::string path;
    bool down = false;
    for (const size_t i : indices(x)) {
      const std::optional<double> here = time_in(series.nights[i]);
      if (here) path += (down ? "L" : "M") + coordinate(x[i]) + ' ' + coordinate(y(*here));
      down = here.has_value();
    }
    svg_path(svg, path, "fam-fp64", 1.6);
  }

  /// A small diamond at the bottom where the compiler changed, a cross for a failed night.
  void night_marks() const {
    const auto& nights = series.nights;
    for (const size_t i : indices(nights)) {
      if (nights[i].failed())
        svg_marker(svg, Marker::cross, x[i], bottom - 5, 3.2, "rt-base-line",
                   nights[i].date + ": failed");
      else if (i > 0 && !nights[i - 1].compiler.empty() &&
               nights[i].compiler != nights[i - 1].compiler)
        svg_marker(svg, Marker::diamond, x[i], bottom - 5, 3.6, "rt-wall-text",
                   fmt::format("{}: compiled by {}, before by {}", nights[i].date,
                               nights[i].compiler, nights[i - 1].compiler));
    }
  }

  /// Each accepted time, from the night that accepted it to the next acceptance.
  void baseline_marks(const LogScale& y) const {
    const auto& nights = series.nights;
    const auto& all = series.baselines;
    const auto begin_of = [&](const Acceptance& one) {
      for (const size_t i : indices(nights))
        if (nights[i].date >= one.date) return x[i];
      return right;
    };
    for (const size_t i : indices(all)) {
      const double seconds = all[i].seconds.value;
      if (!(seconds > y.low()) || !(seconds < y.high())) continue;
      const double from = i == 0 ? left : begin_of(all[i]),
                   to = i + 1 < all.size() ? begin_of(all[i + 1]) : right;
      svg_line(svg, from, y(seconds), to, y(seconds), "rt-best-line", 1.2, "6 3",
               fmt::format("baseline of {}: {}{}", all[i].date, seconds_text(seconds),
                           all[i].why.empty() ? "" : ", " + all[i].why));
    }
  }

  void points(const LogScale& y) const {
    svg.open("g", {{"class", "rt-trial"}});
    for (const size_t i : indices(x))
      if (const auto seconds = time_in(series.nights[i]))
        svg.open("circle", {{"cx", x[i]}, {"cy", y(*seconds)}, {"r", "2.6"}})
            .element("title", {}, night_text(series, i))
            .close();
    svg.close();
  }

  void times_of_nights() const {
    Numbers times;
    for (const Night& night : series.nights)
      if (const auto seconds = time_in(night)) times.push_back(*seconds);
    if (times.empty())
      return svg_text(svg, (left + right) / 2, (top + bottom) / 2, "nothing was measured",
                      {"rt-soft", 12, Anchor::middle});
    const double typical = times.back();
    if (const Acceptance* const baseline = series.baseline();
        baseline && baseline->seconds.value < 2 * typical && baseline->seconds.value > typical / 2)
      times.push_back(baseline->seconds.value);
    const LogScale y = axis_around(times);
    const AxisUnit unit = seconds_unit(typical);
    svg_y_axis(svg, y, left, right, unit.factor);
    svg_text(svg, left - 7, top - 3, unit.text, {"rt-soft", tick_size, Anchor::end});
    baseline_marks(y);
    line(y);
    points(y);
  }
};

}  // namespace

void trend_svg(Markup& page, const Series& series) {
  page.open("svg", {{"class", "rt"},
                    {"viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height))},
                    {"role", "img"}});
  page.element("title", {},
               fmt::format("{}: times of {} nights", series_name(series), series.nights.size()));
  svg_panel(page, left, top, right, bottom);
  const Trend trend{page, series, positions(series)};
  trend.times_of_nights();
  trend.night_marks();
  const auto day = [](const Night& night) { return night.date.substr(0, 10); };
  svg_text(page, left, height - 5, day(series.nights.front()), {"rt-soft", tick_size});
  if (series.nights.size() > 1)
    svg_text(page, right, height - 5, day(series.nights.back()),
             {"rt-soft", tick_size, Anchor::end});
  page.close_line();
}

}  // namespace rooftune::sweep
