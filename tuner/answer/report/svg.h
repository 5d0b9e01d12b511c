// The strokes of a chart: lines, texts, markers and axes as SVG elements, classes instead of
// colours. page/palette.css has the colours: hues after Okabe and Ito (2008), darkened on light and
// lightened on dark until text reads well. No custom properties: SVG renderers outside browsers do
// not know them.
#pragma once
#include <string>
#include <string_view>

#include "report/figures.h"
#include "report/labels.h"
#include "report/markup.h"
#include "report/scale.h"

namespace rooftune::report {

constexpr double chart_width = 1180;

/// The class to colour a family of ceilings: "fam-L1", "fam-fp64"; "fam-other" for unknown ones.
std::string family_class(const std::string& family);

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

/// <svg> of the chart's width with title, description and the style sheet, and a headline where
/// there is one; the caller closes it with `svg_end`.
void svg_begin(Markup& svg, double height, const std::string& title, const std::string& description,
               const std::string& headline = {}, const std::string& subtitle = {});
std::string svg_end(Markup& svg);
void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style);
/// `dash` as stroke-dasharray, empty for solid; `hover` becomes a <title>, empty for none.
void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash = {}, const std::string& hover = {});
/// Strokes with round ends; a point "M1 2h0" is a dot. Ten thousand elements would be slow, one
/// path is not.
void svg_path(Markup& svg, const std::string& path, const std::string& classes, double width,
              double opacity = 1);
/// Square, five-pointed star, diamond or cross of radius r about (x, y).
enum class Marker { square, star, diamond, cross };
void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover = {}, double opacity = 1);
/// Vertical error bar with caps.
void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes);
/// Background, grid, frame and tick labels; axis titles below and, rotated, on the left.
void svg_axes(Markup& svg, const LogPanel& panel, const std::string& x_title, double y_unit,
              const std::string& y_title);
/// A text shortened with an ellipsis to `width` pixels.
std::string elided(const std::string& text, double width, double size);

}  // namespace rooftune::report
