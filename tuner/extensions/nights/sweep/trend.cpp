// One series of nights as a chart: the time above, the gap and the rate of the ceiling below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iomanip>
#include <sstream>

#include "report/figures.h"
#include "report/svg.h"
#include "sweep/formats.h"

namespace rooftune::sweep {
namespace {

constexpr double left_margin = 46, right_margin = 44, top_margin = 12, panel_gap = 16, foot = 20,
                 tick_size = 10;

/// Days since 1970 of "2026-11-23T16:10:19Z"; nullopt for another text.
std::optional<double> days_of(const std::string& date) {
  std::tm time{};
  std::istringstream text(date);
  if (!(text >> std::get_time(&time, "%Y-%m-%dT%H:%M:%SZ"))) return std::nullopt;
  return static_cast<double>(timegm(&time)) / 86400;
}

/// Positions of the nights: by date, or one after the other where a date is unknown.
std::vector<double> positions(const Series& series, double from, double to) {
  std::vector<double> days;
  for (const Night& night : series.nights) {
    const auto day = days_of(night.date);
    if (!day) break;
    days.push_back(*day);
  }
  if (days.size() < series.nights.size()) {
    days.clear();
    for (std::size_t i = 0; i < series.nights.size(); ++i) days.push_back(static_cast<double>(i));
  }
  const double first = days.front(), span = days.back() - first;
  for (double& day : days)
    day = span > 0 ? from + (to - from) * (day - first) / span : (from + to) / 2;
  return days;
}

/// A range around values, wide enough for noise to look like noise.
std::optional<std::pair<double, double>> range_of(const std::vector<double>& values) {
  constexpr double least_half_span = 1.06, margin = 1.02;
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double middle = std::sqrt(*low * *high);
  return std::pair(std::min(*low / margin, middle / least_half_span),
                   std::max(*high * margin, middle * least_half_span));
}

/// Common parts of one chart.
struct Trend {
  Markup& svg;
  const Series& series;
  const TrendSize& size;
  std::vector<double> x;
  double left, right;

  /// Labels of an axis, at most one for every 15 pixels.
  void axis(const LogScale& y, double unit, double bottom, double top, bool at_right) const {
    double last = bottom + 15;
    for (const Tick& tick : y.ticks(unit)) {
      const double at = y(tick.value);
      if (tick.label.empty() || last - at < 15 || at < top + 6) continue;
      last = at;
      if (!at_right) svg_line(svg, left, at, right, at, "rt-grid", 1);
      svg_text(svg, at_right ? right + 5 : left - 5, at + 3.5, tick.label,
               {at_right ? "fam-L3-text" : "rt-soft", tick_size,
                at_right ? Anchor::start : Anchor::end});
    }
  }

  /// A line through the nights with the value, as one path with gaps elsewhere.
  template <class Value>
  void line(const LogScale& y, const std::string& classes, const char* dash,
            const Value& value) const {
    std::string path;
    bool down = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::optional<double> here = value(series.nights[i]);
      const bool drawn = here && *here > 0;
      if (drawn) path += (down ? "L" : "h0M") + coordinate(x[i]) + ' ' + coordinate(y(*here));
      down = drawn;
    }
    if (path.empty()) return;
    // A night alone has no line; its round cap is a dot.
    svg.empty("path", {{"d", path.substr(2) + "h0"},
                       {"class", classes},
                       {"fill", "none"},
                       {"stroke-width", path.find('L') == std::string::npos ? "5" : "1.6"},
                       {"stroke-linejoin", "round"},
                       {"stroke-linecap", "round"},
                       {"stroke-dasharray", dash}});
  }
};

std::string night_text(const Series& series, std::size_t i) {
  const Night& night = series.nights[i];
  std::string text = night.date.substr(0, 10);
  if (night.seconds) text += ": " + seconds_text(night.seconds->value);
  const std::string word = comparison_text({series, night});
  if (!word.empty()) text += ", " + word;
  if (i > 0 && night.compiler != series.nights[i - 1].compiler) text += ", " + night.compiler;
  return text;
}

std::optional<double> time_in(const Night& night) {
  return night.seconds ? std::optional(night.seconds->value) : std::nullopt;
}

template <class Value>
std::vector<double> values_of(const Series& series, const Value& value) {
  std::vector<double> all;
  for (const Night& night : series.nights)
    if (const std::optional<double> here = value(night); here && *here > 0) all.push_back(*here);
  return all;
}

/// A small triangle under the time for another compiler, a cross for a failed night.
void night_marks(const Trend& trend, double bottom) {
  const auto& nights = trend.series.nights;
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (nights[i].failed())
      svg_marker(trend.svg, Marker::cross, trend.x[i], bottom - 5, 3.2, "rt-base-line",
                 nights[i].date + ": failed");
    else if (i > 0 && !nights[i - 1].compiler.empty() &&
             nights[i].compiler != nights[i - 1].compiler)
      svg_marker(trend.svg, Marker::diamond, trend.x[i], bottom - 5, 3.6, "rt-wall-text",
                 fmt::format("{}: compiled by {}, before by {}", nights[i].date, nights[i].compiler,
                             nights[i - 1].compiler));
  }
}

/// Each accepted time, from the night of its acceptance to the next one.
void baseline_marks(const Trend& trend, const LogScale& y) {
  const auto& nights = trend.series.nights;
  const auto& all = trend.series.baselines;
  const auto begin_of = [&](const Acceptance& one) {
    for (std::size_t i = 0; i < nights.size(); ++i)
      if (nights[i].date >= one.date) return trend.x[i];
    return trend.right;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double seconds = all[i].seconds.value;
    if (!(seconds > y.low()) || !(seconds < y.high())) continue;
    const double from = i == 0 ? trend.left : begin_of(all[i]),
                 to = i + 1 < all.size() ? begin_of(all[i + 1]) : trend.right;
    svg_line(trend.svg, from, y(seconds), to, y(seconds), "rt-best-line", 1.2, "6 3",
             fmt::format("baseline of {}: {}{}", all[i].date, seconds_text(seconds),
                         all[i].why.empty() ? "" : ", " + all[i].why));
  }
}

void time_panel(const Trend& trend, double top, double bottom) {
  std::vector<double> times = values_of(trend.series, time_in);
  if (times.empty()) {
    svg_text(trend.svg, (trend.left + trend.right) / 2, (top + bottom) / 2, "nothing was measured",
             {"rt-soft", 12, Anchor::middle});
    return night_marks(trend, bottom);
  }
  const double typical = times.back();
  if (const Acceptance* const baseline = trend.series.baseline();
      baseline && baseline->seconds.value < 2 * typical && baseline->seconds.value > typical / 2)
    times.push_back(baseline->seconds.value);
  const auto range = *range_of(times);
  const LogScale y(range.first, range.second, bottom, top);
  const AxisUnit unit = seconds_unit(typical);
  trend.axis(y, unit.factor, bottom, top, false);
  svg_text(trend.svg, trend.left - 5, top - 3, unit.text, {"rt-soft", tick_size, Anchor::end});
  baseline_marks(trend, y);
  trend.line(y, "fam-fp64", "none", time_in);
  night_marks(trend, bottom);
  if (!trend.size.points) return;
  trend.svg.open("g", {{"class", "rt-trial"}});
  for (std::size_t i = 0; i < trend.x.size(); ++i)
    if (const auto seconds = time_in(trend.series.nights[i]))
      trend.svg
          .open("circle",
                {{"cx", coordinate(trend.x[i])}, {"cy", coordinate(y(*seconds))}, {"r", "2.6"}})
          .element("title", {}, night_text(trend.series, i))
          .close();
  trend.svg.close();
}

void gap_panel(const Trend& trend, double top, double bottom) {
  const auto gap_in = [](const Night& night) { return night.gap; };
  const auto rate_in = [](const Night& night) { return night.ceiling_rate; };
  if (const auto range = range_of(values_of(trend.series, gap_in))) {
    const LogScale y(range->first, range->second, bottom, top);
    trend.axis(y, 1, bottom, top, false);
    trend.line(y, "rt-binding", "none", gap_in);
    svg_text(trend.svg, trend.left - 5, top - 3, "gap", {"rt-soft", tick_size, Anchor::end});
  }
  const auto rates = values_of(trend.series, rate_in);
  if (const auto range = range_of(rates)) {
    const AxisUnit shown =
        axis_unit(rates.back(), amount_unit(trend.series.nights.back().ceiling_unit));
    const LogScale y(range->first, range->second, bottom, top);
    trend.axis(y, shown.factor, bottom, top, true);
    trend.line(y, "fam-L3", "4 3", rate_in);
    svg_text(trend.svg, trend.right + right_margin - 1, top - 3, shown.text,
             {"fam-L3-text", tick_size, Anchor::end});
  }
}

}  // namespace

void trend_svg(Markup& page, const Series& series, const TrendSize& size) {
  const double left = left_margin, right = size.width - right_margin;
  const double time_bottom = top_margin + size.time_height, gap_top = time_bottom + panel_gap,
               gap_bottom = gap_top + size.gap_height, height = gap_bottom + foot;
  page.open("svg",
            {{"class", "rt"},
             {"viewBox", fmt::format("0 0 {} {}", coordinate(size.width), coordinate(height))},
             {"role", "img"}});
  page.element("title", {},
               fmt::format("{}: time, gap and ceiling of {} nights", series_name(series),
                           series.nights.size()));
  const Trend trend{page, series, size, positions(series, left + 6, right - 6), left, right};
  for (const auto& [top, bottom] :
       {std::pair(top_margin, time_bottom), std::pair(gap_top, gap_bottom)})
    page.empty("rect", {{"class", "rt-panel"},
                        {"x", coordinate(left)},
                        {"y", coordinate(top)},
                        {"width", coordinate(right - left)},
                        {"height", coordinate(bottom - top)}});
  time_panel(trend, top_margin, time_bottom);
  gap_panel(trend, gap_top, gap_bottom);
  const auto day = [](const Night& night) { return night.date.substr(0, 10); };
  svg_text(page, left, height - 5, day(series.nights.front()), {"rt-soft", tick_size});
  if (series.nights.size() > 1)
    svg_text(page, right, height - 5, day(series.nights.back()),
             {"rt-soft", tick_size, Anchor::end});
  page.close().newline();
}

}  // namespace rooftune::sweep
