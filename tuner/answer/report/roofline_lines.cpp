#include "report/roofline_lines.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/palette.h"

namespace rooftune::report {
namespace {

/// 0 binding, 1 roof, 2 in the ledger, 3 typical, 4 other, 5 out of play: the order of labels.
int rank(const RooflineLine& line) {
  if (line.binding) return 0;
  if (!line.applies) return 5;
  if (line.roof) return 1;
  if (line.state) return 2;
  return line.typical ? 3 : 4;
}

struct Stroke {
  std::string classes;
  double width;
  std::string dash;
  double opacity;
};

Stroke stroke(const RooflineLine& line) {
  const std::string family = family_class(line.family);
  switch (rank(line)) {
    case 0:
      return {"rt-binding", 2.8, "", 1};
    case 1:
      return {family, 1.9, "", 1};
    case 2:
      return {family, 1.1, line.state == LedgerEntry::State::broken ? "7 3" : "", 0.75};
    case 3:
      return {family, 0.9, "", 0.45};
    case 4:
      return {family, 0.6, "", 0.09};
    default:
      return {family, 0.9, "2 4", 0.45};
  }
}

double fastest(const RooflineView& view, bool diagonal) {
  double rate = 0;
  for (const RooflineLine& line : view.lines)
    if (line.diagonal == diagonal) rate = std::max(rate, line.rate);
  return rate;
}

/// Boxes along a line, above it, from the place where a reader looks first.
std::vector<Box> candidates(const LogPanel& panel, const RooflineLine& line, const LineSpan& span,
                            double width) {
  std::vector<Box> boxes;
  const double px1 = panel.x(span.x1), py1 = panel.y(span.y1);
  const double px2 = panel.x(span.x2), py2 = panel.y(span.y2);
  const double length = std::hypot(px2 - px1, py2 - py1);
  const double angle = std::atan2(py2 - py1, px2 - px1);
  const double height = chart_label_size * 1.25, lift = chart_label_size * 0.78;
  const double first = width / 2 + 6, last = length - width / 2 - 6;
  for (double step = 0; first + step <= last + 1e-9; step += 9) {
    // Horizontals are read from the right edge, diagonals from the left.
    const double along = line.diagonal ? first + step : last - step;
    for (const double side : {-1.0, 1.0})
      boxes.push_back({px1 + std::cos(angle) * along - std::sin(angle) * side * lift,
                       py1 + std::sin(angle) * along + std::cos(angle) * side * lift, width, height,
                       angle * 180 / std::numbers::pi});
  }
  // Above the line for all places first, below it only when nothing above is free.
  std::stable_partition(boxes.begin(), boxes.end(), [&](const Box& box) {
    const double dx = box.x - px1, dy = box.y - py1;
    return std::cos(angle) * dy - std::sin(angle) * dx < 0;
  });
  return boxes;
}

void draw_label(Markup& svg, const Box& box, const std::string& text, const RooflineLine& line) {
  const std::string colour = line.binding ? "rt-ink" : family_class(line.family) + "-text";
  const double angle = box.angle * std::numbers::pi / 180, drop = chart_label_size * 0.36;
  svg_text(svg, box.x - std::sin(angle) * drop, box.y + std::cos(angle) * drop, text,
           {"rt-halo " + colour, chart_label_size, Anchor::middle, line.binding || line.roof,
            box.angle});
}

}  // namespace

LineSpan line_span(const RooflineLine& line, const RooflineView& view) {
  if (line.diagonal) {
    const double peak = fastest(view, false);
    const double top = peak > 0 ? std::min(peak, view.y_high) : view.y_high;
    const double x1 = std::max(view.x_low, view.y_low / line.rate);
    const double x2 = std::min(view.x_high, top / line.rate);
    return {x1, x1 * line.rate, x2, x2 * line.rate};
  }
  const double slope = fastest(view, true);
  if (line.rate < view.y_low || line.rate > view.y_high) return {1, line.rate, 0, line.rate};
  const double x1 = slope > 0 ? std::max(view.x_low, line.rate / slope) : view.x_low;
  return {x1, line.rate, view.x_high, line.rate};
}

void draw_lines(Markup& svg, const LogPanel& panel, const RooflineView& view) {
  std::vector<const RooflineLine*> order;
  for (const RooflineLine& line : view.lines) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(), [](const RooflineLine* a, const RooflineLine* b) {
    return rank(*a) > rank(*b);
  });
  for (const RooflineLine* line : order) {
    const LineSpan span = line_span(*line, view);
    if (!span.visible()) continue;
    const Stroke look = stroke(*line);
    if (look.opacity < 1) svg.open("g", {{"opacity", coordinate(look.opacity)}});
    svg_line(svg, panel.x(span.x1), panel.y(span.y1), panel.x(span.x2), panel.y(span.y2),
             look.classes, look.width, look.dash, line->hover);
    if (look.opacity < 1) svg.close().newline();
  }
}

int draw_line_labels(Markup& svg, const LogPanel& panel, const RooflineView& view,
                     LabelLayout& layout, LabelChoice choice) {
  std::vector<const RooflineLine*> order;
  for (const RooflineLine& line : view.lines)
    if (rank(line) <= (choice == LabelChoice::all ? 3 : 2)) order.push_back(&line);
  std::stable_sort(order.begin(), order.end(), [](const RooflineLine* a, const RooflineLine* b) {
    return rank(*a) < rank(*b);
  });
  int unplaced = 0;
  for (const RooflineLine* line : order) {
    const LineSpan span = line_span(*line, view);
    if (!span.visible()) continue;
    const std::string text = line->words + "  " + line->rate_label;
    const auto box =
        layout.place(candidates(panel, *line, span, text_width(text, chart_label_size)));
    if (box)
      draw_label(svg, *box, text, *line);
    else
      ++unplaced;
  }
  return unplaced;
}

}  // namespace rooftune::report
