// Charts as SVG: the rooflines of a study and of a machine, and best-so-far against evaluations.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <ranges>

#include "report/answer.h"
#include "report/page.h"
#include "report/roofline_view.h"
#include "report/sentences.h"
#include "report/svg.h"

namespace rooftune::report {
namespace {

constexpr double chart_left = 74, label_size = 10.5;

/// A chart under construction: where values lie, and where labels may still stand.
struct Chart {
  LogPanel panel;
  LabelLayout labels;
  Markup svg = {};

  Chart(const RooflineView& view, double top, double right, double bottom)
      : panel{chart_left,
              top,
              right,
              bottom,
              LogScale(view.x_low, view.x_high, chart_left, right),
              LogScale(view.y_low, view.y_high, bottom, top)},
        labels(chart_left + 2, top + 2, right - 2, bottom - 2) {}

  /// The text at the first free of these places; false without one.
  bool label(const std::vector<Box>& places, const std::string& text, TextStyle style) {
    const auto box = labels.place(places);
    if (!box) return false;
    const double angle = box->angle * std::numbers::pi / 180, drop = style.size * 0.36;
    style.classes = "rt-halo " + style.classes;
    style.anchor = Anchor::middle;
    style.angle = box->angle;
    svg_text(svg, box->x - std::sin(angle) * drop, box->y + std::cos(angle) * drop, text, style);
    return true;
  }
};

/// 0 binding, 1 roof, 2 in the ledger, 3 typical, 4 other, 5 out of play: the order of labels.
int rank(const RooflineLine& line) {
  if (line.binding) return 0;
  if (!line.applies) return 5;
  if (line.roof) return 1;
  if (line.listed) return 2;
  return line.typical ? 3 : 4;
}

/// The same view, its most important lines first.
RooflineView ranked(RooflineView view) {
  std::ranges::stable_sort(view.lines, {}, rank);
  return view;
}

struct Stroke {
  std::string classes;
  double width;
  std::string dash;
  double opacity;
};

/// By rank; broken ceilings of the ledger are dashed.
Stroke stroke(const RooflineLine& line) {
  static constexpr std::array widths{2.8, 1.9, 1.1, 0.9, 0.6, 0.9};
  static constexpr std::array opacities{1.0, 1.0, 0.75, 0.45, 0.09, 0.45};
  const auto at = static_cast<std::size_t>(rank(line));
  const bool broken = line.passed;
  return {line.binding ? "rt-binding" : family_class(line.family), widths[at],
          at == 5             ? "2 4"
          : at == 2 && broken ? "7 3"
                              : "",
          opacities[at]};
}

/// The faintest first: the important lines lie above.
void draw_lines(Chart& chart, const RooflineView& view) {
  for (const RooflineLine& line : std::views::reverse(view.lines)) {
    const LineSpan span = line_span(line, view);
    if (!span.visible()) continue;
    const Stroke look = stroke(line);
    if (look.opacity < 1) chart.svg.open("g", {{"opacity", coordinate(look.opacity)}});
    svg_line(chart.svg, chart.panel.x(span.x1), chart.panel.y(span.y1), chart.panel.x(span.x2),
             chart.panel.y(span.y2), look.classes, look.width, look.dash, line.hover);
    if (look.opacity < 1) chart.svg.close().newline();
  }
}

/// Boxes of a text along a line from its first end on, those above it first.
std::vector<Box> along(double x1, double y1, double x2, double y2, double width) {
  std::vector<Box> boxes;
  const double length = std::hypot(x2 - x1, y2 - y1), angle = std::atan2(y2 - y1, x2 - x1);
  // A line drawn to the left is read from its other end.
  const double turn = x2 < x1 ? std::numbers::pi : 0, lift = label_size * 0.78;
  for (const double side : {-1.0, 1.0})
    for (double at = width / 2 + 6; at <= length - width / 2 - 6 + 1e-9; at += 9)
      boxes.push_back({x1 + std::cos(angle) * at - std::sin(angle + turn) * side * lift,
                       y1 + std::sin(angle) * at + std::cos(angle + turn) * side * lift, width,
                       label_size * 1.25, (angle - turn) * 180 / std::numbers::pi});
  return boxes;
}

/// Labels of lines up to this rank, the most important first; returns how many found no place.
int label_lines(Chart& chart, const RooflineView& view, int last_rank) {
  int unplaced = 0;
  for (const RooflineLine& line : view.lines) {
    const LineSpan span = line_span(line, view);
    if (rank(line) > last_rank || !span.visible()) continue;
    const std::string text = line.words + "  " + line.rate_label;
    const double x1 = chart.panel.x(span.x1), y1 = chart.panel.y(span.y1),
                 x2 = chart.panel.x(span.x2), y2 = chart.panel.y(span.y2),
                 width = text_width(text, label_size);
    // Horizontals are read from the right edge, diagonals from the left.
    if (!chart.label(line.diagonal ? along(x1, y1, x2, y2, width) : along(x2, y2, x1, y1, width),
                     text,
                     {line.binding ? "rt-ink" : family_class(line.family) + "-text", label_size,
                      Anchor::middle, line.binding || line.roof}))
      ++unplaced;
  }
  return unplaced;
}

std::string intensity_title(const RooflineView& view) {
  const std::string title = fmt::format("operational intensity [{}/B]", view.unit);
  return view.level.empty() ? title : title + ", of " + view.level + " at the marks";
}

/// `typical`: a speed of most interest.
void draw_axes(Chart& chart, const RooflineView& view, double typical) {
  const AxisUnit unit = axis_unit(typical, view.unit);
  svg_axes(chart.svg, chart.panel, intensity_title(view), unit.factor,
           "performance [" + unit.text + "]");
}

/// The kernel's own column and the walls to the left of it.
void draw_verticals(Chart& chart, const RooflineView& view) {
  const auto vertical = [&](double value, const std::string& text, const std::string& classes,
                            const std::string& dash) {
    const double x = chart.panel.x(value);
    svg_line(chart.svg, x, chart.panel.top, x, chart.panel.bottom, classes, 1.2, dash, text);
    chart.label(along(x, chart.panel.bottom, x, chart.panel.top, text_width(text, label_size)),
                text, {classes + "-text", label_size});
  };
  if (view.x && !view.level.empty())
    vertical(*view.x, fmt::format("compulsory {} traffic", view.level), "rt-above", "1 3");
  for (const RooflinePoint& wall : view.walls)
    vertical(wall.x, "wall: " + wall.label, "rt-wall", "5 3");
}

/// A text `gap` beside a point, on one side or the other.
void label_point(Chart& chart, double x, double y, double gap, const std::string& text,
                 const TextStyle& style) {
  const double length = text_width(text, style.size) * (style.bold ? 1.08 : 1);
  std::vector<Box> boxes;
  for (const double dy : {0.0, -10.0, 10.0, -20.0, 20.0, -32.0, 32.0, -46.0, 46.0})
    for (const double side : {1.0, -1.0})
      boxes.push_back({x + side * (gap + length / 2), y + dy, length, style.size * 1.3, 0});
  chart.label(boxes, text, style);
}

/// The best at the intensities of the other levels; near ones share a label.
void draw_level_points(Chart& chart, const RooflineView& view) {
  std::vector<RooflinePoint> levels = view.levels;
  std::stable_sort(levels.begin(), levels.end(),
                   [](const RooflinePoint& a, const RooflinePoint& b) { return a.x > b.x; });
  for (std::size_t i = 0; i < levels.size();) {
    const double x = chart.panel.x(levels[i].x), y = chart.panel.y(levels[i].y);
    std::string names;
    for (; i < levels.size() && x - chart.panel.x(levels[i].x) < 14; ++i) {
      svg_marker(chart.svg, Marker::diamond, chart.panel.x(levels[i].x), y, 4.5, "rt-best",
                 "best at its " + levels[i].label + " intensity", 0.55);
      names += (names.empty() ? "" : " ") + levels[i].label;
    }
    label_point(chart, x, y, 8, names, {"rt-broken-text", label_size});
  }
}

/// A raced time as a mark with its interval.
void draw_raced(Chart& chart, const std::optional<RooflinePoint>& point, Marker marker, double r,
                const std::string& classes, const std::string& hover) {
  if (!point) return;
  const double x = chart.panel.x(point->x);
  svg_error_bar(chart.svg, x, chart.panel.y(point->low), chart.panel.y(point->high),
                classes + "-line");
  svg_marker(chart.svg, marker, x, chart.panel.y(point->y), r, classes, hover);
}

void draw_points(Chart& chart, const RooflineView& view, const StudyResult& result) {
  const LogScale& y_scale = chart.panel.y;
  const Performance speed = performance(result.roofline.work);
  const double x = chart.panel.x(*view.x);
  std::string dots;
  for (const Trial& trial : result.trials)
    if (trial.ok())
      dots += fmt::format("M{} {}h0", coordinate(x),
                          coordinate(y_scale(speed.rate(trial.measurement->seconds.value))));
  svg_path(chart.svg, dots, "rt-trial-line", 5, 0.35);
  draw_level_points(chart, view);
  if (view.bound) {
    const double y = y_scale(view.bound->y);
    svg_line(chart.svg, x - 13, y, x + 13, y, "rt-binding", 3.2, {},
             "bound: " + result.bound.ceiling);
    svg_error_bar(chart.svg, x, y_scale(view.bound->low), y_scale(view.bound->high), "rt-binding");
  }
  draw_raced(chart, view.baseline, Marker::square, 5.2, "rt-base", "baseline");
  draw_raced(chart, view.best, Marker::star, 8.5, "rt-best", "best");
  for (const auto& [point, classes] : {std::pair(view.best, "rt-broken-text"),
                                       {view.baseline, "fam-DRAM-text"},
                                       {view.bound, "rt-ink"}})
    if (point)
      label_point(chart, x, y_scale(point->y), 12,
                  fmt::format("{} {}", point->label, rate_text(point->y, view.unit)),
                  {classes, 11.5, Anchor::start, true});
}

/// Keeps labels off the points.
void take_points(Chart& chart, const RooflineView& view) {
  for (const auto& point : {view.bound, view.baseline, view.best})
    if (point) chart.labels.take({chart.panel.x(*view.x), chart.panel.y(point->y), 20, 20});
  for (const RooflinePoint& level : view.levels)
    chart.labels.take({chart.panel.x(level.x), chart.panel.y(level.y), 12, 12});
}

std::string subtitle(const StudyResult& result) {
  std::string text = study_sentence(result);
  if (!result.problem.empty()) text += "; " + facts_text(result.problem);
  return text + fmt::format("; bound {} by {}", seconds_text(result.bound.time.value()),
                            limit_name(result));
}

}  // namespace

std::string roofline_svg(const StudyResult& result) {
  constexpr double height = 606;
  RooflineView view = ranked(roofline_view(result));
  std::erase_if(view.lines, [](const RooflineLine& line) { return !line.shown(); });
  Chart chart(view, 74, chart_width - 20, 520);
  const std::string said = headline(claims(result));
  svg_begin(chart.svg, height, "Roofline of " + study_sentence(result), said, said,
            subtitle(result));
  draw_axes(chart, view, view.best ? view.best->y : view.y_high);
  take_points(chart, view);
  draw_lines(chart, view);
  draw_points(chart, view, result);
  draw_verticals(chart, view);
  label_lines(chart, view, 2);
  svg_text(
      chart.svg, chart_left, height - 14,
      "star: best, square: baseline, dots: trials, diamonds: best at another level's intensity",
      {"rt-soft", 11});
  return svg_end(chart.svg);
}

std::string machine_svg(const Machine& machine) {
  constexpr double height = 760;
  const RooflineView view = ranked(machine_view(machine));
  Chart chart(view, 74, chart_width - 20, 690);
  svg_begin(chart.svg, height, "Roofline of machine " + machine.name, machine.description,
            "Roofline of " + machine.name, machine.description);
  if (view.lines.empty()) {
    svg_text(chart.svg, chart_width / 2, height / 2, "no ceiling has been measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(chart.svg);
  }
  // A thirtieth of the peak, so most ticks are between 1 and 1000.
  draw_axes(chart, view, view.y_high / 30);
  draw_lines(chart, view);
  const auto unnamed = label_lines(chart, view, 3) +
                       std::count_if(view.lines.begin(), view.lines.end(),
                                     [](const auto& line) { return !line.typical && !line.roof; });
  if (unnamed > 0)
    svg_text(chart.svg, chart_width - 20, height - 14,
             fmt::format("{} more ceilings are drawn without a label: point at a line", unnamed),
             {"rt-soft", 11, Anchor::end});
  return svg_end(chart.svg);
}

namespace {

constexpr double plot_left = 74, plot_right = 1040, plot_top = 46, plot_bottom = 262,
                 plot_height = 320;

/// On the axis: of a time, or of the program's own figure.
double shown_figure(const StudyResult& result, double seconds) {
  return result.own_figure ? result.own_figure->of(seconds) : seconds;
}

/// Axes around all times; nullopt without one. The first evaluation is number 1.
std::optional<LogPanel> panel_of(const StudyResult& result) {
  std::vector<double> times;
  for (const Trial& trial : result.trials)
    if (trial.ok()) times.push_back(shown_figure(result, trial.measurement->seconds.value));
  if (times.empty()) return std::nullopt;
  if (result.bound.known()) times.push_back(shown_figure(result, result.bound.low.value()));
  const double last = std::max<double>(4, static_cast<double>(result.trials.size()));
  return LogPanel{plot_left,
                  plot_top,
                  plot_right,
                  plot_bottom,
                  LogScale(0.9, last * 1.1, plot_left, plot_right),
                  LogScale(std::ranges::min(times) / 1.12, std::ranges::max(times) * 1.12,
                           plot_bottom, plot_top)};
}

/// A text at the right end of a line.
void end_label(Markup& svg, double y, const std::string& text, const char* classes) {
  svg_text(svg, plot_right + 8, y + 4, text, {classes, 11.5, Anchor::start, true});
}

void draw_bound(Markup& svg, const StudyResult& result, const LogPanel& panel, double best_y) {
  const Bound& bound = result.bound;
  if (!bound.known()) return;
  const auto place = [&](Seconds time) { return panel.y(shown_figure(result, time.value())); };
  const double y = place(bound.time);
  svg_error_bar(svg, plot_right, place(bound.high), place(bound.low), "rt-binding");
  svg_line(svg, plot_left, y, plot_right, y, "rt-binding", 2, {},
           "bound\n" + bound_sentence(result));
  end_label(svg, std::max(y, best_y + 14),
            "bound " + figure_text(result.own_figure, bound.time.value()), "rt-ink");
}

}  // namespace

std::string convergence_svg(const StudyResult& result) {
  Markup svg;
  svg_begin(svg, plot_height,
            result.own_figure ? "Best so far against evaluations"
                              : "Best time so far against evaluations",
            outcome_sentence(result),
            fmt::format("{} of each trial, and the best so far",
                        result.own_figure ? figure_name(result.own_figure) : "Time per call"));
  const auto panel = panel_of(result);
  if (!panel) {
    svg_text(svg, chart_width / 2, plot_height / 2, "no trial was measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(svg);
  }
  const AxisUnit unit = result.own_figure ? AxisUnit{} : seconds_unit(panel->y.high());
  svg_axes(svg, *panel, "evaluations (strokes above: failed trials)", unit.factor,
           result.own_figure ? figure_name(result.own_figure)
                             : fmt::format("time per call [{}]", unit.text));
  std::string measured, failed, stairs;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    const Trial& trial = result.trials[i];
    const std::string x = coordinate(panel->x(static_cast<double>(i) + 1));
    if (!trial.ok()) {
      failed += fmt::format("M{} {}v9", x, coordinate(plot_top - 12));
      continue;
    }
    const double seconds = trial.measurement->seconds.value;
    const std::string y = coordinate(panel->y(shown_figure(result, seconds)));
    measured += fmt::format("M{} {}h0", x, y);
    if (seconds >= best) continue;
    stairs += stairs.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
    best = seconds;
  }
  const double best_y = panel->y(shown_figure(result, best));
  draw_bound(svg, result, *panel, best_y);
  svg_path(svg, measured, "rt-trial-line", 5, 0.5);
  svg_path(svg, failed, "rt-failed", 1.6, 0.5);
  svg_path(svg, fmt::format("{}H{}", stairs, coordinate(plot_right)), "rt-best-line", 2.2);
  end_label(svg, best_y, "best trial " + figure_text(result.own_figure, best), "rt-broken-text");
  return svg_end(svg);
}

}  // namespace rooftune::report
