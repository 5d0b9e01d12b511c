// The strokes of a chart: lines, texts, markers and axes as SVG elements, classes instead of
// colours, logarithmic axes with ticks as drawn by hand, and places of labels without overlaps or
// cut ends. page/palette.css has the colours: hues after Okabe and Ito (2008), darkened on light
// and lightened on dark until text reads well. No custom properties: SVG renderers outside browsers
// do not know them.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/figures.h"
#include "report/markup.h"

namespace rooftune::report {

/// Width of a text in a sans-serif font of `size` px; an over-estimate for common fonts.
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

/// [low, high] in value maps to [from, to] in position; both may run either way.
class LogScale {
 public:
  /// 0 < low < high, finite.
  LogScale(double low, double high, double from, double to)
      : low_(low), high_(high), from_(from), to_(to) {}
  double operator()(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  /// Decades when there are at least three, else 1-2-5, else as fine as needed for three labels;
  /// the rest of 1..9 as minor ticks. Labels show value / unit.
  std::vector<Tick> ticks(double unit) const;

 private:
  double low_, high_, from_, to_;
};

/// Shortest text of a tick: 0.01, 1, 250, 1000.
std::string tick_text(double value);

/// Pixels of pictures for a desk, a document or a paper, and for a phone.
inline constexpr double chart_width = 1180, phone_width = 366;

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

/// A picture: SVG elements in pixels of its own size.
struct Scene {
  std::string title, description;  ///< for those who hear it
  double width = chart_width, height = 0;
  Markup marks = {};
};
/// The document of a picture, with the style sheet.
std::string svg_document(Scene scene);
/// Pictures of one width below each other, under a headline and a line of smaller print.
Scene stacked(const std::string& headline, const std::string& subtitle, std::vector<Scene> parts);
void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style);
/// `dash` as stroke-dasharray, empty for solid; `hover` becomes a <title>, empty for none.
void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash = {}, const std::string& hover = {});
/// Strokes with round ends; a point "M1 2h0" is a dot. Ten thousand elements would be slow, one
/// path is not.
void svg_path(Markup& svg, const std::string& path, const std::string& classes, double width,
              double opacity = 1);
/// Diamond or cross of radius r about (x, y).
enum class Marker { diamond, cross };
void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover = {});
/// Vertical error bar with caps.
void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes);
/// The grid of an axis below the panel, its labels, and its title where there is one.
void svg_x_axis(Markup& svg, const LogPanel& panel, double unit, const std::string& title);
/// Background, grid, frame and tick labels; axis titles below and, rotated, on the left.
void svg_axes(Markup& svg, const LogPanel& panel, const std::string& x_title, double y_unit,
              const std::string& y_title);
/// A text shortened with an ellipsis to `width` pixels.
std::string elided(const std::string& text, double width, double size);

}  // namespace rooftune::report
