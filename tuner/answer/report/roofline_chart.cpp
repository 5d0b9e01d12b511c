// The roofline of a study as SVG: for pages without a script, and for papers.
#include <fmt/format.h>

#include <algorithm>

#include "report/answer.h"
#include "report/chart.h"
#include "report/figures.h"
#include "report/palette.h"
#include "report/roofline_lines.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

constexpr ChartFrame frame{
    .height = 606, .left = 74, .top = 74, .right = chart_width - 20, .bottom = 520};

LogPanel panel_of(const RooflineView& view, double panel_left, double panel_right,
                  double panel_bottom) {
  return {panel_left,
          frame.top,
          panel_right,
          panel_bottom,
          LogScale(view.x_low, view.x_high, panel_left, panel_right),
          LogScale(view.y_low, view.y_high, panel_bottom, frame.top)};
}

std::string intensity_title(const RooflineView& view) {
  const std::string unit = view.unit == "flop" ? "flop/B" : view.unit + "/B";
  if (view.level.empty()) return fmt::format("operational intensity [{}]", unit);
  return fmt::format("operational intensity [{}], of {} at the marks", unit, view.level);
}

/// The kernel's own column and the walls to the left of it.
void draw_verticals(Markup& svg, const LogPanel& panel, const RooflineView& view,
                    LabelLayout& layout) {
  const auto vertical = [&](double value, const std::string& text, const std::string& classes,
                            const std::string& dash) {
    const double x = panel.x(value), length = text_width(text, 10.5);
    svg_line(svg, x, panel.top, x, panel.bottom, classes, 1.2, dash, text);
    std::vector<Box> boxes;
    for (double y = panel.bottom - 6 - length / 2; y - length / 2 > panel.top + 6; y -= 10)
      for (const double side : {-7.5, 8.0}) boxes.push_back({x + side, y, length, 13, -90});
    if (const auto box = layout.place(boxes))
      svg_text(svg, box->x + 3.8, box->y, text,
               {"rt-halo " + classes + "-text", 10.5, Anchor::middle, false, -90});
  };
  if (view.x && !view.level.empty())
    vertical(*view.x, fmt::format("compulsory {} traffic", view.level), "rt-above", "1 3");
  for (const RooflinePoint& wall : view.walls)
    vertical(wall.x, "wall: " + wall.label, "rt-wall", "5 3");
}

void place_text(Markup& svg, LabelLayout& layout, double x, double y, double gap,
                const std::string& text, const TextStyle& style) {
  const double length = text_width(text, style.size) * (style.bold ? 1.08 : 1),
               h = style.size * 1.3;
  std::vector<Box> boxes;
  for (const double dy : {0.0, -10.0, 10.0, -20.0, 20.0, -32.0, 32.0, -46.0, 46.0})
    for (const double side : {1.0, -1.0})
      boxes.push_back({x + side * (gap + length / 2), y + dy, length, h, 0});
  const auto box = layout.place(boxes);
  if (!box) return;
  TextStyle centred = style;
  centred.anchor = Anchor::middle;
  svg_text(svg, box->x, box->y + style.size * 0.36, text, centred);
}

/// The best at the intensities of the other levels; near ones share a label.
void draw_level_points(Markup& svg, const LogPanel& panel, const RooflineView& view,
                       LabelLayout& layout) {
  std::vector<RooflinePoint> levels = view.levels;
  std::stable_sort(levels.begin(), levels.end(),
                   [](const RooflinePoint& a, const RooflinePoint& b) { return a.x > b.x; });
  for (std::size_t i = 0; i < levels.size();) {
    const double x = panel.x(levels[i].x), y = panel.y(levels[i].y);
    std::string names;
    for (; i < levels.size() && x - panel.x(levels[i].x) < 14; ++i) {
      svg_marker(svg, Marker::diamond, panel.x(levels[i].x), y, 4.5, "rt-best",
                 "best at its " + levels[i].label + " intensity", 0.55);
      names += (names.empty() ? "" : " ") + levels[i].label;
    }
    place_text(svg, layout, x, y, 8, names, {"rt-halo rt-broken-text", 10.5});
  }
}

/// All timed trials, as dots of one path: ten thousand elements would be slow.
void draw_trials(Markup& svg, const LogPanel& panel, const RooflineView& view,
                 const StudyResult& report) {
  const Performance speed = performance(report.roofline.work);
  const std::string x = coordinate(panel.x(*view.x));
  std::string dots;
  for (const Trial& trial : report.trials)
    if (trial.ok())
      dots += fmt::format("M{} {}h0", x,
                          coordinate(panel.y(speed.rate(trial.measurement->seconds.value))));
  if (!dots.empty())
    svg.empty("path", {{"class", "rt-trial-line"},
                       {"d", dots},
                       {"stroke-width", "5"},
                       {"stroke-linecap", "round"},
                       {"opacity", "0.35"}})
        .newline();
}

void draw_points(Markup& svg, const LogPanel& panel, const RooflineView& view,
                 const StudyResult& report, LabelLayout& layout) {
  const double x = panel.x(*view.x);
  draw_trials(svg, panel, view, report);
  for (const RooflinePoint& other : view.sample)
    svg_marker(svg, Marker::diamond, panel.x(other.x), panel.y(other.y), 4, "rt-trial",
               fmt::format("{} at its counted {} intensity", other.label, view.level));
  draw_level_points(svg, panel, view, layout);
  if (view.bound) {
    const double y = panel.y(view.bound->y);
    svg_line(svg, x - 13, y, x + 13, y, "rt-binding", 3.2, {}, "bound: " + report.bound.ceiling);
    svg_error_bar(svg, x, panel.y(view.bound->low), panel.y(view.bound->high), "rt-binding");
  }
  if (view.baseline) {
    svg_error_bar(svg, x, panel.y(view.baseline->low), panel.y(view.baseline->high),
                  "rt-base-line");
    svg_marker(svg, Marker::square, x, panel.y(view.baseline->y), 5.2, "rt-base", "baseline");
  }
  if (view.best) {
    svg_error_bar(svg, x, panel.y(view.best->low), panel.y(view.best->high), "rt-best-line");
    svg_marker(svg, Marker::star, x, panel.y(view.best->y), 8.5, "rt-best", "best");
  }
}

void draw_point_labels(Markup& svg, const LogPanel& panel, const RooflineView& view,
                       LabelLayout& layout) {
  const double x = panel.x(*view.x);
  const auto label = [&](const RooflinePoint& p, const std::string& classes) {
    place_text(svg, layout, x, panel.y(p.y), 12,
               fmt::format("{} {}", p.label, rate_text(p.y, view.unit)),
               {"rt-halo " + classes, 11.5, Anchor::start, true});
  };
  if (view.best) label(*view.best, "rt-broken-text");
  if (view.baseline) label(*view.baseline, "fam-DRAM-text");
  if (view.bound) label(*view.bound, "rt-ink");
}

void take_points(const LogPanel& panel, const RooflineView& view, LabelLayout& layout) {
  const double x = panel.x(*view.x);
  for (const auto& point : {view.bound, view.baseline, view.best})
    if (point) layout.take({x, panel.y(point->y), 20, 20});
  for (const RooflinePoint& level : view.levels)
    layout.take({panel.x(level.x), panel.y(level.y), 12, 12});
}

struct LegendItem {
  Marker marker;
  std::string classes, text;
};

void draw_legend(Markup& svg) {
  double x = frame.left;
  const double y = frame.height - 14;
  const std::vector<LegendItem> items{
      {Marker::square, "rt-base", "baseline"},
      {Marker::star, "rt-best", "best"},
      {Marker::circle, "rt-trial", "trial"},
      {Marker::diamond, "rt-best", "best at another level's intensity"}};
  for (const LegendItem& item : items) {
    svg_marker(svg, item.marker, x + 5, y - 4, item.marker == Marker::star ? 6.5 : 4, item.classes);
    svg_text(svg, x + 15, y, item.text, {"rt-soft", 11});
    x += 15 + text_width(item.text, 11) + 14;
  }
}

std::string subtitle(const StudyResult& report) {
  std::string text = study_sentence(report);
  if (!report.problem.empty()) text += "; " + facts_text(report.problem);
  return text + fmt::format("; bound {} by {}", seconds_text(report.bound.time.value()),
                            limit_name(report));
}

}  // namespace

std::string roofline_svg(const StudyResult& report) {
  RooflineView view = roofline_view(report);
  std::erase_if(view.lines, [](const RooflineLine& line) { return !line.shown(); });
  const LogPanel panel = panel_of(view, frame.left, frame.right, frame.bottom);
  const AxisUnit unit = axis_unit(view.best ? view.best->y : view.y_high, view.unit);
  Markup svg;
  const std::string headline = answer(report).sentence();
  svg_begin(svg, chart_width, frame.height, "Roofline of " + study_sentence(report), headline);
  // Bold letters are some 8 % wider than the letters of known width.
  svg_text(svg, frame.left - 52, 28, elided(headline, (chart_width - 60) / 1.08, 17),
           {"rt-ink", 17, Anchor::start, true});
  svg_text(svg, frame.left - 52, 49, elided(subtitle(report), chart_width - 40, 12),
           {"rt-soft", 12});
  svg_axes(svg, panel, 1, intensity_title(view), unit.factor, "performance [" + unit.text + "]");
  LabelLayout layout(frame.left + 2, frame.top + 2, frame.right - 2, frame.bottom - 2);
  take_points(panel, view, layout);
  draw_lines(svg, panel, view);
  draw_points(svg, panel, view, report, layout);
  draw_point_labels(svg, panel, view, layout);
  draw_verticals(svg, panel, view, layout);
  draw_line_labels(svg, panel, view, layout, LabelChoice::important);
  draw_legend(svg);
  return svg_end(svg);
}

std::string machine_svg(const Machine& machine) {
  constexpr double machine_height = 760, machine_bottom = 690;
  const RooflineView view = machine_view(machine);
  const LogPanel panel = panel_of(view, frame.left, chart_width - 20, machine_bottom);
  // A thirtieth of the peak, so most ticks are between 1 and 1000.
  const AxisUnit unit = axis_unit(view.y_high / 30, "flop");
  Markup svg;
  svg_begin(svg, chart_width, machine_height, "Roofline of machine " + machine.name,
            machine.description);
  svg_text(svg, frame.left - 52, 28, elided("Roofline of " + machine.name, chart_width - 40, 17),
           {"rt-ink", 17, Anchor::start, true});
  svg_text(svg, frame.left - 52, 49, elided(machine.description, chart_width - 40, 12),
           {"rt-soft", 12});
  if (view.lines.empty()) {
    svg_text(svg, chart_width / 2, machine_height / 2, "no ceiling has been measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(svg);
  }
  svg_axes(svg, panel, 1, intensity_title(view), unit.factor, "performance [" + unit.text + "]");
  LabelLayout layout(frame.left + 2, frame.top + 2, chart_width - 22, machine_bottom - 2);
  draw_lines(svg, panel, view);
  const int unplaced = draw_line_labels(svg, panel, view, layout, LabelChoice::all);
  const auto faint =
      std::count_if(view.lines.begin(), view.lines.end(),
                    [](const RooflineLine& line) { return !line.typical && !line.roof; });
  if (unplaced + faint > 0)
    svg_text(svg, chart_width - 20, machine_height - 14,
             fmt::format("{} more ceilings are drawn without a label: point at a line",
                         unplaced + faint),
             {"rt-soft", 11, Anchor::end});
  return svg_end(svg);
}

}  // namespace rooftune::report
