// The strokes of a chart: lines, texts, markers and axes as SVG elements, classes instead of
// colours.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "report/labels.h"
#include "report/markup.h"
#include "report/scale.h"

namespace rooftune::report {

constexpr double chart_width = 1180, chart_label_size = 10.5;

/// Where a chart of `chart_width` has its plot area.
struct ChartFrame {
  double height, left, top, right, bottom;
};

/// A plot area with logarithmic axes, in pixels.
struct LogPanel {
  double left, top, right, bottom;
  LogScale x, y;
};

enum class Anchor { start, middle, end };

/// Style and alignment of a text.
struct TextStyle {
  std::string classes = "rt-ink";
  double size = 11;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double angle = 0;  ///< degrees about its own position
};

/// <svg> with title, description and the style sheet; the caller closes it with `svg_end`.
void svg_begin(Markup& svg, double width, double height, const std::string& title,
               const std::string& description);
std::string svg_end(Markup& svg);
void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style);
/// `dash` as stroke-dasharray, empty for solid; `hover` becomes a <title>, empty for none.
void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash = {}, const std::string& hover = {});
void svg_polyline(Markup& svg, const std::vector<std::pair<double, double>>& points,
                  const std::string& classes, double width);
/// Square, five-pointed star, diamond, circle or cross of radius r about (x, y).
enum class Marker { square, star, diamond, circle, cross };
void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover = {}, double opacity = 1);
/// Vertical error bar with caps.
void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes);
/// Background, grid, frame and tick labels; axis titles below and, rotated, on the left.
void svg_axes(Markup& svg, const LogPanel& panel, double x_unit, const std::string& x_title,
              double y_unit, const std::string& y_title);
/// The horizontal grid lines and labels of one logarithmic y axis.
void svg_y_axis(Markup& svg, const LogScale& y, double left, double right, double unit);
/// A text shortened with an ellipsis to `width` pixels.
std::string elided(const std::string& text, double width, double size);

}  // namespace rooftune::report
