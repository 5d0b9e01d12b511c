#include "report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <sstream>

#include "core/list.h"
#include "core/text.h"
#include "report/palette_resources.h"

namespace rooftune::report {
namespace {

/// Lines at most `width` pixels wide, broken between words.
Texts lines_within(const std::string& text, double width, double size) {
  Texts lines{""};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    const std::string longer = line.empty() ? word : line + " " + word;
    if (line.empty() || text_width(longer, size) <= width)
      line = longer;
    else
      lines.push_back(word);
  }
  for (std::string& line : lines) line = elided(line, width, size);
  return lines;
}

const char* grid(const Tick& tick) { return tick.label.empty() ? "rt-grid-minor" : "rt-grid"; }

/// A character's advance [em], after DejaVu Sans, the widest among the usual fonts.
double advance(char c) {
  static constexpr std::string_view narrow = "iljI.,:;'|! ", slim = "()[]frt-/\"";
  static constexpr std::string_view wide = "mwMWQGO%@+=<>~";
  if (contains(narrow, c)) return 0.33;
  if (contains(slim, c)) return 0.42;
  if (contains(wide, c)) return 0.9;
  if (c >= 'A' && c <= 'Z') return 0.7;
  return 0.635;
}

using Point = std::complex<double>;

/// The direction along the box, or, a quarter turn further, across it.
Point direction(const Box& box, double quarters = 0) {
  return std::polar(1.0, box.angle * std::numbers::pi / 180 + quarters * std::numbers::pi / 2);
}

std::array<Point, 4> corners(const Box& box) {
  const Point along = direction(box) * (box.width / 2),
              across = direction(box, 1) * (box.height / 2);
  const Point centre(box.x, box.y);
  return {centre - along - across, centre + along - across, centre + along + across,
          centre - along + across};
}

/// Both ends of the shadow that the corners cast on a line in this direction.
std::pair<double, double> shadow(const std::array<Point, 4>& all, Point line) {
  const auto [low, high] = std::minmax_element(all.begin(), all.end(), [&](Point a, Point b) {
    return (std::conj(line) * (a - b)).real() < 0;
  });
  return {(std::conj(line) * *low).real(), (std::conj(line) * *high).real()};
}

/// Which marks in a decade may have a label, by how many decades the axis has.
Numbers labelled_marks(double decades) {
  if (decades >= 2.2) return {1};
  if (decades >= 1.1) return {1, 2, 5};
  if (decades >= 0.6) return {1, 2, 3, 5, 7};
  return {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9};
}

/// Round steps for axes so short that a logarithm looks linear.
double round_step(double span, int count) {
  const double raw = span / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double mark : {1.0, 2.0, 2.5, 5.0})
    if (mark * decade >= raw * (1 - 1e-9)) return mark * decade;
  return 10 * decade;
}

}  // namespace

std::string svg_document(Scene scene) {
  Markup svg;
  const std::string width = coordinate(scene.width), height = coordinate(scene.height);
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "rt"},
                   {"width", width},
                   {"height", height},
                   {"viewBox", fmt::format("0 0 {} {}", width, height)},
                   {"role", "img"}})
      .newline();
  svg.element("title", {}, scene.title).element("desc", {}, scene.description).newline();
  // The style sheet is our own constant text without anything to escape.
  svg.open("style").raw(palette_style).close_line();
  svg.empty("rect", {{"class", "rt-bg"}, {"width", width}, {"height", height}}).newline();
  svg.raw(scene.marks.finish()).close_line();
  return svg.finish();
}

Scene stacked(const std::string& headline, const std::string& subtitle, std::vector<Scene> parts) {
  Scene whole{headline, subtitle};
  double y = 27;
  // Bold letters are some 8 % wider than the letters whose width is known.
  for (const std::string& line : lines_within(headline, (chart_width - 40) / 1.08, 16)) {
    svg_text(whole.marks, 14, y, line, {"rt-ink", 16, Anchor::start, true});
    y += 22;
  }
  svg_text(whole.marks, 14, y - 2, elided(subtitle, chart_width - 40, 12), {"rt-soft", 12});
  whole.height = y + 10;
  for (Scene& part : parts) {
    whole.marks.open("g",
                     {{"transform", fmt::format("translate(0 {})", coordinate(whole.height))}});
    whole.marks.raw(part.marks.finish()).close_line();
    whole.height += part.height;
  }
  return whole;
}

void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style) {
  const char* const anchors[] = {"", "middle", "end"};
  const std::string turned =
      fmt::format("rotate({} {} {})", coordinate(style.angle), coordinate(x), coordinate(y));
  svg.element("text",
              {{"x", x},
               {"y", y},
               {"class", style.classes},
               {"font-size", style.size},
               {"text-anchor", anchors[size_t(style.anchor)]},
               {"font-weight", style.bold ? "600" : ""},
               {"transform", style.angle == 0 ? "" : turned}},
              text)
      .newline();
}

void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash, const std::string& hover) {
  const Markup::Attributes ends{{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}};
  Markup::Attributes seen = ends, felt = ends;
  append(seen, {{"class", classes}, {"stroke-width", width}, {"stroke-dasharray", dash}});
  if (hover.empty()) {
    svg.empty("line", seen).newline();
    return;
  }
  // A wide invisible twin, so a thin line can be found with a pointer.
  append(felt, {{"stroke", "transparent"}, {"stroke-width", "7"}});
  svg.open("g").empty("line", seen).empty("line", felt).element("title", {}, hover);
  svg.close_line();
}

void svg_path(Markup& svg, const std::string& path, const std::string& classes, double width,
              double opacity) {
  if (path.empty()) return;
  svg.empty("path", {{"class", classes},
                     {"d", path},
                     {"fill", "none"},
                     {"stroke-width", width},
                     {"stroke-linecap", "round"},
                     {"stroke-linejoin", "round"},
                     {"opacity", opacity}})
      .newline();
}

void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover) {
  /// Outlines with radius 1 about the origin, ordered as in Marker.
  static constexpr std::array outlines{"M0-1L1 0L0 1L-1 0Z", "M-1-1L1 1M-1 1L1-1"};
  Markup::Attributes attributes{
      {"class", classes},
      {"d", outlines[size_t(marker)]},
      {"transform",
       fmt::format("translate({} {}) scale({})", coordinate(x), coordinate(y), coordinate(r))}};
  if (marker == Marker::cross) append(attributes, {{"fill", "none"}, {"stroke-width", 1.4 / r}});
  svg.open("path", attributes);
  if (!hover.empty()) svg.element("title", {}, hover);
  svg.close_line();
}

void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes) {
  svg_line(svg, x, y_low, x, y_high, classes, 1.4);
  for (const double y : {y_low, y_high}) svg_line(svg, x - 4, y, x + 4, y, classes, 1.4);
}

void svg_x_axis(Markup& svg, const LogPanel& panel, double unit, const std::string& title) {
  constexpr double size = 11;
  double free_from = 0;
  for (const Tick& tick : panel.x.ticks(unit)) {
    const double at = panel.x(tick.value), half = text_width(tick.label, size) / 2;
    svg_line(svg, at, panel.top, at, panel.bottom, grid(tick), 1);
    if (tick.label.empty() || at - half < free_from) continue;
    svg_text(svg, at, panel.bottom + 17, tick.label, {"rt-soft", size, Anchor::middle});
    free_from = at + half + 6;
  }
  svg_line(svg, panel.left, panel.bottom, panel.right, panel.bottom, "rt-axis", 1.2);
  svg_text(svg, (panel.left + panel.right) / 2, panel.bottom + 38, title,
           {"rt-ink", 12, Anchor::middle});
}

void svg_panel(Markup& svg, double left, double top, double right, double bottom) {
  svg.empty("rect", {{"class", "rt-panel"},
                     {"x", left},
                     {"y", top},
                     {"width", right - left},
                     {"height", bottom - top}})
      .newline();
}

void svg_y_axis(Markup& svg, const LogScale& y, double left, double right, double unit) {
  double free_below = y(y.low()) + 12;
  for (const Tick& tick : y.ticks(unit)) {
    const double at = y(tick.value);
    svg_line(svg, left, at, right, at, grid(tick), 1);
    if (tick.label.empty() || std::abs(free_below - at) < 13) continue;
    svg_text(svg, left - 7, at + 3.8, tick.label, {"rt-soft", 11, Anchor::end});
    free_below = at;
  }
}

void svg_axes(Markup& svg, const LogPanel& panel, const std::string& x_title, double y_unit,
              const std::string& y_title) {
  const auto& [left, top, right, bottom, x, y] = panel;
  svg_panel(svg, left, top, right, bottom);
  svg_x_axis(svg, panel, 1, x_title);
  svg_y_axis(svg, y, left, right, y_unit);
  svg_line(svg, left, top, left, bottom, "rt-axis", 1.2);
  svg_text(svg, left - 46, (top + bottom) / 2, y_title, {"rt-ink", 12, Anchor::middle, false, -90});
}

std::string elided(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  std::string shorter = text;
  while (!shorter.empty() && text_width(shorter, size) + size > width) {
    // Whole characters only: drop continuation bytes with their lead byte.
    while (!shorter.empty() && !starts_point(shorter.back())) shorter.pop_back();
    if (!shorter.empty()) shorter.pop_back();
  }
  while (!shorter.empty() && shorter.back() == ' ') shorter.pop_back();
  return shorter + "\xE2\x80\xA6";
}

double text_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text)
    // Continuation bytes belong to the character before them.
    if (starts_point(c)) ems += advance(c);
  return ems * size;
}

bool overlap(const Box& a, const Box& b) {
  // Boxes are apart when a side of either separates them (separating axis theorem).
  const auto corners_a = corners(a), corners_b = corners(b);
  for (const Point side : {direction(a), direction(a, 1), direction(b), direction(b, 1)}) {
    const auto [low_a, high_a] = shadow(corners_a, side);
    const auto [low_b, high_b] = shadow(corners_b, side);
    if (high_a <= low_b || high_b <= low_a) return false;
  }
  return true;
}

bool LabelLayout::free(const Box& box) const {
  for (const Point& p : corners(box))
    if (p.real() < left_ || p.real() > right_ || p.imag() < top_ || p.imag() > bottom_)
      return false;
  return none_of(taken_, [&](const Box& other) { return overlap(box, other); });
}

std::optional<Box> LabelLayout::place(const Boxes& candidates) {
  for (const Box& box : candidates)
    if (free(box)) {
      take(box);
      return box;
    }
  return std::nullopt;
}

double LogScale::operator()(double value) const {
  return from_ + (to_ - from_) * std::log(value / low_) / std::log(high_ / low_);
}

std::vector<Tick> LogScale::ticks(double unit) const {
  const double decades = std::log10(high_ / low_);
  std::vector<Tick> ticks;
  if (decades < 0.35) {
    const double step = round_step((high_ - low_) / unit, 5);
    for (double k = std::ceil(low_ / unit / step - 1e-9); k * step * unit <= high_ * (1 + 1e-9);
         ++k)
      ticks.push_back({k * step * unit, tick_text(k * step)});
    return ticks;
  }
  const Numbers marks = labelled_marks(decades);
  const int first = int(std::floor(std::log10(low_ / unit))) - 1;
  const int last = int(std::ceil(std::log10(high_ / unit))) + 1;
  for (int decade = first; decade <= last; ++decade)
    for (double mark = 1; mark < 10; mark += 0.5) {
      const bool labelled = contains(marks, mark);
      const double value = mark * std::pow(10.0, decade);
      if (!labelled && mark != std::floor(mark)) continue;
      if (value * unit < low_ * (1 - 1e-9) || value * unit > high_ * (1 + 1e-9)) continue;
      ticks.push_back({value * unit, labelled ? tick_text(value) : std::string()});
    }
  return ticks;
}

std::string tick_text(double value) {
  const double magnitude = std::abs(value);
  // With six digits %g has no exponent between these.
  return magnitude >= 1e6 || magnitude < 1e-4 ? fmt::format("{:.3g}", value)
                                              : fmt::format("{:.6g}", value);
}

}  // namespace rooftune::report
