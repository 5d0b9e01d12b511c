#include "report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>

#include "core/list.h"
#include "report/figures.h"
#include "report/palette_resources.h"
#include "report/roofline_view.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

constexpr double label_size = 10.5;

double wide(const std::string& text, const TextStyle& style) {
  return text_width(text, style.size) * (style.bold ? 1.08 : 1);
}

/// The order of labels: 0 binding, 1 roof, 2 named by the staircase, 3 typical, 4 other.
int rank(const RooflineLine& line, bool of_machine) {
  if (line.binding) return 0;
  if (line.roof) return 1;
  if (!of_machine) return 2;
  return line.typical ? 3 : 4;
}

/// The class that colours a family of ceilings: "fam-L1", "fam-fp64"; "fam-other" if unknown.
std::string family_class(const std::string& family) {
  const std::string wanted = "fam-" + family;
  const bool known = contains(std::string_view(palette_style), '.' + wanted + '{');
  return known ? wanted : "fam-other";
}

/// Boxes for a text along a line from its first end on, boxes above the line first.
Boxes along(double x1, double y1, double x2, double y2, double width) {
  Boxes boxes;
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

/// Places for a text `gap` beside a point.
Boxes beside(double x, double y, double gap, const std::string& text, const TextStyle& style) {
  const double length = wide(text, style);
  Boxes boxes;
  for (const double dy : {0.0, -14.0, 14.0, -26.0, 26.0, -38.0, 38.0, -52.0, 52.0})
    for (const double side : {1.0, -1.0, 0.0})
      if (side != 0 || dy != 0)
        boxes.push_back({x + side * (gap + length / 2), y + dy, length, style.size * 1.3, 0});
  return boxes;
}

/// A shaft with a head that ends beside the next mark.
void draw_arrow(Markup& marks, double x1, double y1, double x2, double y2) {
  constexpr double clear = 8, head = 6;
  const double length = std::hypot(x2 - x1, y2 - y1);
  if (length < clear + head + 2) return;
  const double u = (x2 - x1) / length, v = (y2 - y1) / length;
  const double x = x2 - u * clear, y = y2 - v * clear, bx = x - u * head, by = y - v * head;
  const auto at = [](double a, double b) { return coordinate(a) + " " + coordinate(b); };
  svg_path(marks,
           fmt::format("M{}L{}M{}L{}L{}", at(x1, y1), at(x, y), at(bx - v * 4, by + u * 4),
                       at(x, y), at(bx + v * 4, by - u * 4)),
           "rt-path", 1.5);
}

struct Place {
  double x, y;
};

std::string stair_hover(const RooflineView& view, const RooflinePoint& stair) {
  return fmt::format("{}\n{} at {} {}/B{}", stair.label, rate_text(stair.y, view.unit),
                     significant(stair.x, 3), view.unit,
                     stair.counted ? "" : ", not counted: at its neighbours' intensity");
}

/// Draws a roofline: knows where values lie, where labels may still stand, and which labels found
/// no place.
struct Chart {
  const RooflineView& view;
  LogPanel panel;
  LabelLayout labels;
  Markup& marks;
  TextPairs homeless = {};  ///< classes and texts

  Chart(const RooflineView& shown, Markup& out, double width, double height)
      : view(shown),
        panel{58,
              10,
              width - 12,
              height - 50,
              LogScale(shown.x_low, shown.x_high, 58, width - 12),
              LogScale(shown.y_low, shown.y_high, height - 50, 10)},
        labels(panel.left + 2, panel.top + 2, panel.right - 2, panel.bottom - 2),
        marks(out) {}

  /// Draws the text, or keeps it if it finds no place.
  void label(const Boxes& places, const std::string& text, const TextStyle& style) {
    if (!has_labelled(places, text, style)) homeless.emplace_back(style.classes, text);
  }
  /// Draws the text at the first free place; false if none is free.
  bool has_labelled(const Boxes& places, const std::string& text, TextStyle style) {
    const auto box = labels.place(places);
    if (!box) return false;
    const double angle = box->angle * std::numbers::pi / 180, drop = style.size * 0.36;
    style.classes = "rt-halo " + style.classes;
    style.anchor = Anchor::middle;
    style.angle = box->angle;
    svg_text(marks, box->x - std::sin(angle) * drop, box->y + std::cos(angle) * drop, text, style);
    return true;
  }

  /// Draws the faintest first: the important lines lie above; broken ceilings are dashed.
  void draw_lines(bool of_machine) {
    // By rank.
    static constexpr double widths[] = {2.8, 1.9, 1.4, 0.9, 0.6};
    static constexpr double opacities[] = {1.0, 1.0, 0.9, 0.45, 0.09};
    for (const RooflineLine& line : std::views::reverse(view.lines)) {
      const LineSpan span = line_span(line, view);
      if (!span.visible()) continue;
      const int at = rank(line, of_machine);
      marks.open("g", {{"data-limit", line.words},
                       {"opacity", opacities[at] < 1 ? coordinate(opacities[at]) : ""}});
      svg_line(marks, panel.x(span.x1), panel.y(span.y1), panel.x(span.x2), panel.y(span.y2),
               line.binding ? "rt-binding" : family_class(line.family), widths[at],
               line.broken ? "7 3" : "", line.hover);
      marks.close_line();
    }
  }

  /// Labels the lines up to this rank, the most important first; labels that find no place are
  /// kept.
  void label_lines(int last_rank, bool of_machine) {
    for (int at = 0; at <= last_rank; ++at)
      for (const RooflineLine& line : view.lines) {
        const LineSpan span = line_span(line, view);
        if (rank(line, of_machine) != at || !span.visible()) continue;
        const std::string text = line.words + " " + line.rate_label;
        const TextStyle style{line.binding ? "rt-ink" : family_class(line.family) + "-text",
                              label_size, Anchor::middle, line.binding || line.roof};
        const double x1 = panel.x(span.x1), y1 = panel.y(span.y1), x2 = panel.x(span.x2),
                     y2 = panel.y(span.y2), width = wide(text, style);
        // Horizontals are read from the right edge, diagonals from the left.
        label(line.diagonal ? along(x1, y1, x2, y2, width) : along(x2, y2, x1, y1, width), text,
              style);
      }
  }

  /// `typical`: a speed that matters most.
  void draw_axes(double typical) {
    const AxisUnit unit = axis_unit(typical, view.unit);
    std::string title = fmt::format("operational intensity [{}/B]", view.unit);
    if (!view.level.empty()) title += ", " + view.level;
    svg_axes(marks, panel, title, unit.factor, "performance [" + unit.text + "]");
  }

  /// The least traffic and, to its left, the walls.
  void draw_verticals() {
    const auto vertical = [&](double value, const std::string& text, const std::string& classes,
                              const std::string& dash) {
      const double x = panel.x(value);
      marks.open("g", {{"data-limit", text}});
      svg_line(marks, x, panel.top, x, panel.bottom, classes, 1.2, dash, text);
      marks.close_line();
      label(along(x, panel.bottom, x, panel.top, text_width(text, label_size)), text,
            {classes + "-text", label_size});
    };
    if (view.x && !view.level.empty())
      vertical(*view.x, fmt::format("least {} traffic", view.level), "rt-above", "1 3");
    for (const RooflinePoint& wall : view.walls) vertical(wall.x, wall.label, "rt-wall", "5 3");
  }

  /// Consecutive marks that nearly touch share a label: "4-6".
  void label_stairs(const std::vector<Place>& places) {
    constexpr double near = 15;
    const auto& stairs = view.stairs;
    for (size_t i = 0; i < stairs.size();) {
      size_t last = i;
      while (last + 1 < stairs.size() &&
             std::hypot(places[last + 1].x - places[i].x, places[last + 1].y - places[i].y) < near)
        ++last;
      const auto number = [&](size_t at) {
        const auto stair = stairs[at].stair.value_or(0);
        return stair == 0 ? stairs[at].label : std::to_string(stair);
      };
      const bool end = last + 1 == stairs.size();
      const TextStyle style{end      ? "rt-broken-text"
                            : i == 0 ? "rt-base-text"
                                     : "rt-ink",
                            11.5, Anchor::start, true};
      const std::string text =
          last > i ? number(i) + (last > i + 1 ? "-" : ", ") + number(last) : number(i);
      const std::string spoken =
          fmt::format("{}{}{}", text,
                      last == i && stairs[i].stair.value_or(0) > 0 ? ". " + stairs[i].label : "",
                      i == 0 || end ? ": " + rate_text(stairs[last].y, view.unit) : "");
      const Place& at = places[i];
      if (!has_labelled(beside(at.x, at.y, 11, spoken, style), spoken, style) &&
          !has_labelled(beside(at.x, at.y, 9, text, style), text, style))
        homeless.emplace_back(style.classes, spoken);
      i = last + 1;
    }
  }

  /// A dot for each stair, hollow where it was not counted.
  void draw_stairs(const std::vector<Place>& places) {
    const auto& stairs = view.stairs;
    for (size_t i = 1; i < stairs.size(); ++i)
      draw_arrow(marks, places[i - 1].x, places[i - 1].y, places[i].x, places[i].y);
    for (const size_t i : indices(stairs)) {
      const std::string look = i + 1 == stairs.size() ? "rt-best" : i == 0 ? "rt-base" : "rt-step";
      const std::string number = stairs[i].stair ? std::to_string(*stairs[i].stair) : "";
      marks.open("g", {{"data-stair", number}}).element("title", {}, stair_hover(view, stairs[i]));
      svg_error_bar(marks, places[i].x, panel.y(stairs[i].low), panel.y(stairs[i].high),
                    look + "-line");
      marks.empty("circle", {{"class", stairs[i].counted ? look : look + "-line rt-hollow"},
                             {"cx", places[i].x},
                             {"cy", places[i].y},
                             {"r", "5.5"},
                             {"stroke-width", "2"}});
      marks.close_line();
    }
  }

  void draw_bound() {
    if (!view.bound) return;
    const double x = panel.x(*view.x), y = panel.y(view.bound->y);
    svg_line(marks, x - 13, y, x + 13, y, "rt-binding", 3.2, {}, "bound: no code is faster");
    const std::string text = "bound " + rate_text(view.bound->y, view.unit);
    const TextStyle style{"rt-ink", label_size, Anchor::start, true};
    label(beside(x, y, 16, text, style), text, style);
  }

  /// Lists the texts that found no place in the plane, a line each; returns where they end.
  double list_below(double y, double width) {
    for (const auto& [classes, text] : homeless) {
      svg_text(marks, 14, y, elided(text, width - 28, 11), {classes, 11});
      y += 15;
    }
    return y;
  }
};

}  // namespace

Scene roofline_chart(const StudyResult& result, double width) {
  const RooflineView view = roofline_view(result);
  Scene scene{"Roofline of " + study_sentence(result), "Arrows lead from step to step.", width};
  const double height = width > 700 ? 540 : 430;
  Chart chart(view, scene.marks, width, height);
  chart.draw_axes(view.stairs.empty() ? view.y_high : view.stairs.back().y);
  std::vector<Place> places;
  for (const RooflinePoint& stair : view.stairs) {
    places.push_back({chart.panel.x(stair.x), chart.panel.y(stair.y)});
    chart.labels.take({places.back().x, places.back().y, 14, 14});
  }
  if (view.bound) chart.labels.take({chart.panel.x(*view.x), chart.panel.y(view.bound->y), 28, 8});
  chart.draw_lines(false);
  chart.draw_bound();
  chart.draw_stairs(places);
  chart.label_stairs(places);
  chart.label_lines(2, false);
  chart.draw_verticals();
  scene.height = chart.list_below(height + 8, width) + 4;
  return scene;
}

std::string machine_svg(const Machine& machine) {
  constexpr double height = 700;
  const RooflineView view = machine_view(machine);
  Scene scene{"Roofline of " + machine.name, machine.description, chart_width, height};
  if (view.lines.empty()) {
    svg_text(scene.marks, chart_width / 2, height / 2, "no ceiling has been measured",
             {"rt-soft", 14, Anchor::middle});
  } else {
    Chart chart(view, scene.marks, chart_width, height - 20);
    // A thirtieth of the peak, so that most ticks lie between 1 and 1000.
    chart.draw_axes(view.y_high / 30);
    chart.draw_lines(true);
    chart.label_lines(3, true);
    const auto unnamed =
        ptrdiff_t(chart.homeless.size()) +
        count_if(view.lines, [](const auto& line) { return rank(line, true) > 3; });
    if (unnamed > 0)
      svg_text(scene.marks, chart_width - 20, height - 14,
               fmt::format("{} more ceilings are drawn without a label: point at a line", unnamed),
               {"rt-soft", 11, Anchor::end});
  }
  std::vector<Scene> parts;
  parts.push_back(std::move(scene));
  return svg_document(
      stacked("Roofline of " + machine.name, machine.description, std::move(parts)));
}

}  // namespace rooftune::report
