// What charts are drawn with: lines, texts, markers and axes as SVG elements, with classes rather
// than colours; logarithmic axes with ticks as a person would draw them; and a layout in which
// labels neither overlap nor get cut off. page/palette.css has the colours: hues after Okabe and
// Ito (2008), darkened on light and lightened on dark until text reads well. No custom properties:
// SVG renderers outside browsers do not know them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures.h"
#include "report/markup.h"

namespace rooftune::report {

/// A text's width in a sans-serif font at `size` px; an over-estimate for common fonts.
double text_width(std::string_view text, double size);

/// A rectangle, perhaps rotated about its centre.
struct Box {
  double x = 0, y = 0;  ///< centre
  double width = 0, height = 0;
  double angle = 0;  ///< degrees, clockwise on screen (as SVG's rotate)
};
using Boxes = std::vector<Box>;
bool overlap(const Box& a, const Box& b);

/// Remembers used places, and takes the first free candidate.
class LabelLayout {
 public:
  /// Labels must stay inside [left, right] x [top, bottom].
  LabelLayout(double left, double top, double right, double bottom)
      : left_(left), top_(top), right_(right), bottom_(bottom) {}
  void take(const Box& box) { taken_.push_back(box); }
  /// The first free candidate, then taken; nullopt when there is none.
  std::optional<Box> place(const Boxes& candidates);

 private:
  bool free(const Box& box) const;
  double left_, top_, right_, bottom_;
  Boxes taken_;
};

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a minor tick
};

/// Maps values in [low, high] to positions in [from, to]; both may run either way.
class LogScale {
 public:
  /// 0 < low < high, finite.
  LogScale(double low, double high, double from, double to)
      : low_(low), high_(high), from_(from), to_(to) {}
  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  /// Decades when there are at least three, else 1-2-5, else as fine as three labels need; the
  /// other marks from 1 to 9 become minor ticks. Labels show value / unit.
  std::vector<Tick> ticks(double unit) const;

 private:
  double low_, high_, from_, to_;
};

/// A tick's shortest text: 0.01, 1, 250, 1000.
std::string tick_text(double value);

/// Picture widths [px] for a desk, a document or a paper, and for a phone.
inline constexpr double chart_width = 1180, phone_width = 366;

/// A plot area with logarithmic axes, in pixels.
struct LogPanel {
  double left, top, right, bottom;
  LogScale x, y;
};

enum class Anchor { start, middle, end };

/// A text's style and alignment.
struct TextStyle {
  std::string classes = "rt-ink";
  double size = 11;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double angle = 0;  ///< degrees about its own position
};

/// A picture: SVG elements, with its size in pixels.
struct Scene {
  std::string title, description;  ///< for people who hear the picture
  double width = chart_width, height = 0;
  Markup marks = {};
};
/// A picture as a document, with the style sheet.
std::string svg_document(Scene scene);
/// Pictures that share a width, stacked under a headline and a line in smaller print.
Scene stacked(const std::string& headline, const std::string& subtitle, std::vector<Scene> parts);
void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style);
/// `dash` as stroke-dasharray, empty for solid; `hover` becomes a <title>, empty for none.
void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash = {}, const std::string& hover = {});
/// Strokes with round ends; a point "M1 2h0" is a dot. Ten thousand elements would be slow; one
/// path is fast.
void svg_path(Markup& svg, const std::string& path, const std::string& classes, double width,
              double opacity = 1);
/// A diamond or cross with radius r about (x, y).
enum class Marker { diamond, cross };
void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover = {});
/// Vertical error bar with caps.
void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes);
/// The grid and labels of the axis below the panel, and its title where there is one.
void svg_x_axis(Markup& svg, const LogPanel& panel, double unit, const std::string& title);
/// A plot's background.
void svg_panel(Markup& svg, double left, double top, double right, double bottom);
/// The grid and labels of an axis at the left.
void svg_y_axis(Markup& svg, const LogScale& y, double left, double right, double unit);
/// Background, grid, frame and tick labels; axis titles below and, rotated, on the left.
void svg_axes(Markup& svg, const LogPanel& panel, const std::string& x_title, double y_unit,
              const std::string& y_title);
/// A text shortened with an ellipsis to `width` pixels.
std::string elided(const std::string& text, double width, double size);

}  // namespace rooftune::report
