#include "report/svg.h"

#include <fmt/format.h>

#include <array>

#include "report/palette_resources.h"

namespace rooftune::report {

std::string family_class(const std::string& family) {
  const std::string wanted = "fam-" + family;
  const bool known = std::string_view(palette_style).find('.' + wanted + '{') != std::string::npos;
  return known ? wanted : "fam-other";
}

void svg_begin(Markup& svg, double height, const std::string& title, const std::string& description,
               const std::string& headline, const std::string& subtitle) {
  const std::string width = coordinate(chart_width);
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "rt"},
                   {"width", width},
                   {"height", coordinate(height)},
                   {"viewBox", fmt::format("0 0 {} {}", width, coordinate(height))},
                   {"role", "img"}})
      .newline();
  svg.element("title", {}, title).element("desc", {}, description).newline();
  // The style sheet is our own constant text without anything to escape.
  svg.open("style").raw(palette_style).close().newline();
  svg.empty("rect", {{"class", "rt-bg"}, {"width", width}, {"height", coordinate(height)}})
      .newline();
  // Bold letters are some 8 % wider than the letters of known width.
  if (!headline.empty())
    svg_text(svg, 22, 28, elided(headline, (chart_width - 60) / 1.08, 17),
             {"rt-ink", 17, Anchor::start, true});
  if (!subtitle.empty())
    svg_text(svg, 22, 49, elided(subtitle, chart_width - 40, 12), {"rt-soft", 12});
}

std::string svg_end(Markup& svg) {
  svg.close().newline();
  return svg.finish();
}

void svg_text(Markup& svg, double x, double y, std::string_view text, const TextStyle& style) {
  Markup::Attributes attributes{{"x", coordinate(x)},
                                {"y", coordinate(y)},
                                {"class", style.classes},
                                {"font-size", coordinate(style.size)}};
  if (style.anchor != Anchor::start)
    attributes.emplace_back("text-anchor", style.anchor == Anchor::middle ? "middle" : "end");
  if (style.bold) attributes.emplace_back("font-weight", "600");
  if (style.angle != 0)
    attributes.emplace_back("transform", fmt::format("rotate({} {} {})", coordinate(style.angle),
                                                     coordinate(x), coordinate(y)));
  svg.element("text", attributes, text).newline();
}

void svg_line(Markup& svg, double x1, double y1, double x2, double y2, const std::string& classes,
              double width, const std::string& dash, const std::string& hover) {
  const Markup::Attributes ends{{"x1", coordinate(x1)},
                                {"y1", coordinate(y1)},
                                {"x2", coordinate(x2)},
                                {"y2", coordinate(y2)}};
  Markup::Attributes seen = ends, felt = ends;
  seen.insert(seen.end(), {{"class", classes}, {"stroke-width", coordinate(width)}});
  if (!dash.empty()) seen.emplace_back("stroke-dasharray", dash);
  if (hover.empty()) {
    svg.empty("line", seen).newline();
    return;
  }
  // A wide invisible twin, so a thin line can be found with a pointer.
  felt.insert(felt.end(), {{"stroke", "transparent"}, {"stroke-width", "7"}});
  svg.open("g").empty("line", seen).empty("line", felt).element("title", {}, hover);
  svg.close().newline();
}

void svg_path(Markup& svg, const std::string& path, const std::string& classes, double width,
              double opacity) {
  if (path.empty()) return;
  svg.empty("path", {{"class", classes},
                     {"d", path},
                     {"fill", "none"},
                     {"stroke-width", coordinate(width)},
                     {"stroke-linecap", "round"},
                     {"stroke-linejoin", "round"},
                     {"opacity", coordinate(opacity)}})
      .newline();
}

void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover, double opacity) {
  /// Of radius 1 about the origin, in the order of Marker.
  static constexpr std::array outlines{
      "M-1-1H1V1H-1Z",
      "M0-1L.26-.36L.95-.31L.43.14L.59.81L0 .45L-.59.81L-.43.14L-.95-.31L-.26-.36Z",
      "M0-1L1 0L0 1L-1 0Z", "M-1-1L1 1M-1 1L1-1"};
  Markup::Attributes attributes{
      {"class", classes},
      {"d", outlines[static_cast<std::size_t>(marker)]},
      {"transform",
       fmt::format("translate({} {}) scale({})", coordinate(x), coordinate(y), coordinate(r))}};
  if (opacity < 1) attributes.emplace_back("opacity", coordinate(opacity));
  if (marker == Marker::cross)
    attributes.insert(attributes.end(), {{"fill", "none"}, {"stroke-width", coordinate(1.4 / r)}});
  svg.open("path", attributes);
  if (!hover.empty()) svg.element("title", {}, hover);
  svg.close().newline();
}

void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes) {
  svg_line(svg, x, y_low, x, y_high, classes, 1.4);
  for (const double y : {y_low, y_high}) svg_line(svg, x - 4, y, x + 4, y, classes, 1.4);
}

void svg_axes(Markup& svg, const LogPanel& panel, const std::string& x_title, double y_unit,
              const std::string& y_title) {
  const auto& [left, top, right, bottom, x, y] = panel;
  svg.empty("rect", {{"class", "rt-panel"},
                     {"x", coordinate(left)},
                     {"y", coordinate(top)},
                     {"width", coordinate(right - left)},
                     {"height", coordinate(bottom - top)}})
      .newline();
  const auto grid = [](const Tick& tick) {
    return tick.label.empty() ? "rt-grid-minor" : "rt-grid";
  };
  for (const Tick& tick : x.ticks(1)) {
    const double at = x(tick.value);
    svg_line(svg, at, top, at, bottom, grid(tick), 1);
    if (!tick.label.empty())
      svg_text(svg, at, bottom + 17, tick.label, {"rt-soft", 11, Anchor::middle});
  }
  for (const Tick& tick : y.ticks(y_unit)) {
    const double at = y(tick.value);
    svg_line(svg, left, at, right, at, grid(tick), 1);
    if (!tick.label.empty())
      svg_text(svg, left - 7, at + 3.8, tick.label, {"rt-soft", 11, Anchor::end});
  }
  svg_line(svg, left, bottom, right, bottom, "rt-axis", 1.2);
  svg_line(svg, left, top, left, bottom, "rt-axis", 1.2);
  svg_text(svg, (left + right) / 2, bottom + 38, x_title, {"rt-ink", 12, Anchor::middle});
  svg_text(svg, left - 52, (top + bottom) / 2, y_title, {"rt-ink", 12, Anchor::middle, false, -90});
}

std::string elided(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  std::string shorter = text;
  while (!shorter.empty() && text_width(shorter, size) + size > width) {
    // Whole characters only: drop continuation bytes with their lead byte.
    while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0xC0) == 0x80)
      shorter.pop_back();
    if (!shorter.empty()) shorter.pop_back();
  }
  while (!shorter.empty() && shorter.back() == ' ') shorter.pop_back();
  return shorter + "\xE2\x80\xA6";
}

}  // namespace rooftune::report
