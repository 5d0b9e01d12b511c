#include "report/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "report/palette_resources.h"

namespace rooftune::report {
namespace {

std::string path_of(Marker marker, double x, double y, double r) {
  const auto at = [](double px, double py) { return coordinate(px) + ' ' + coordinate(py); };
  std::string path;
  switch (marker) {
    case Marker::square:
      return fmt::format("M{}L{}L{}L{}Z", at(x - r, y - r), at(x + r, y - r), at(x + r, y + r),
                         at(x - r, y + r));
    case Marker::diamond:
      return fmt::format("M{}L{}L{}L{}Z", at(x, y - r), at(x + r, y), at(x, y + r), at(x - r, y));
    case Marker::cross:
      return fmt::format("M{}L{}M{}L{}", at(x - r, y - r), at(x + r, y + r), at(x - r, y + r),
                         at(x + r, y - r));
    case Marker::star:
      for (int i = 0; i < 10; ++i) {
        const double angle = std::numbers::pi * (i / 5.0 - 0.5), radius = i % 2 ? 0.45 * r : r;
        path += (i ? 'L' : 'M') + at(x + radius * std::cos(angle), y + radius * std::sin(angle));
      }
      return path + 'Z';
    case Marker::circle:
      break;
  }
  return {};
}

void hover_title(Markup& svg, const std::string& hover) {
  if (!hover.empty()) svg.element("title", {}, hover);
}

}  // namespace

void svg_begin(Markup& svg, double width, double height, const std::string& title,
               const std::string& description) {
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "rt"},
                   {"width", coordinate(width)},
                   {"height", coordinate(height)},
                   {"viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height))},
                   {"role", "img"}})
      .newline();
  svg.element("title", {}, title).element("desc", {}, description).newline();
  // The style sheet is our own constant text without anything to escape.
  svg.open("style").raw(palette_style).close().newline();
  svg.empty("rect",
            {{"class", "rt-bg"}, {"width", coordinate(width)}, {"height", coordinate(height)}})
      .newline();
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
  Markup::Attributes attributes{{"x1", coordinate(x1)}, {"y1", coordinate(y1)},
                                {"x2", coordinate(x2)}, {"y2", coordinate(y2)},
                                {"class", classes},     {"stroke-width", coordinate(width)}};
  if (!dash.empty()) attributes.emplace_back("stroke-dasharray", dash);
  if (hover.empty()) {
    svg.empty("line", attributes).newline();
    return;
  }
  svg.open("g");
  svg.empty("line", attributes);
  // A wide invisible twin, so a thin line can be found with a pointer.
  svg.empty("line", {{"x1", coordinate(x1)},
                     {"y1", coordinate(y1)},
                     {"x2", coordinate(x2)},
                     {"y2", coordinate(y2)},
                     {"stroke", "transparent"},
                     {"stroke-width", "7"}});
  hover_title(svg, hover);
  svg.close().newline();
}

void svg_polyline(Markup& svg, const std::vector<std::pair<double, double>>& points,
                  const std::string& classes, double width) {
  std::string text;
  for (const auto& [x, y] : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", coordinate(x), coordinate(y));
  svg.empty("polyline", {{"points", text},
                         {"class", classes},
                         {"fill", "none"},
                         {"stroke-width", coordinate(width)},
                         {"stroke-linejoin", "round"}})
      .newline();
}

void svg_marker(Markup& svg, Marker marker, double x, double y, double r,
                const std::string& classes, const std::string& hover, double opacity) {
  Markup::Attributes attributes{{"class", classes}};
  if (opacity < 1) attributes.emplace_back("opacity", coordinate(opacity));
  if (marker == Marker::circle) {
    attributes.insert(attributes.end(),
                      {{"cx", coordinate(x)}, {"cy", coordinate(y)}, {"r", coordinate(r)}});
    svg.open("circle", attributes);
  } else {
    attributes.emplace_back("d", path_of(marker, x, y, r));
    if (marker == Marker::cross)
      attributes.insert(attributes.end(), {{"fill", "none"}, {"stroke-width", "1.4"}});
    svg.open("path", attributes);
  }
  hover_title(svg, hover);
  svg.close().newline();
}

void svg_error_bar(Markup& svg, double x, double y_low, double y_high, const std::string& classes) {
  svg_line(svg, x, y_low, x, y_high, classes, 1.4);
  svg_line(svg, x - 4, y_low, x + 4, y_low, classes, 1.4);
  svg_line(svg, x - 4, y_high, x + 4, y_high, classes, 1.4);
}

void svg_y_axis(Markup& svg, const LogScale& y, double left, double right, double unit) {
  for (const Tick& tick : y.ticks(unit)) {
    const double at = y(tick.value);
    svg_line(svg, left, at, right, at, tick.label.empty() ? "rt-grid-minor" : "rt-grid", 1);
    if (!tick.label.empty())
      svg_text(svg, left - 7, at + 3.8, tick.label, {"rt-soft", 11, Anchor::end});
  }
}

void svg_axes(Markup& svg, const LogPanel& panel, double x_unit, const std::string& x_title,
              double y_unit, const std::string& y_title) {
  const auto& [left, top, right, bottom, x, y] = panel;
  svg.empty("rect", {{"class", "rt-panel"},
                     {"x", coordinate(left)},
                     {"y", coordinate(top)},
                     {"width", coordinate(right - left)},
                     {"height", coordinate(bottom - top)}})
      .newline();
  for (const Tick& tick : x.ticks(x_unit)) {
    const double at = x(tick.value);
    svg_line(svg, at, top, at, bottom, tick.label.empty() ? "rt-grid-minor" : "rt-grid", 1);
    if (!tick.label.empty())
      svg_text(svg, at, bottom + 17, tick.label, {"rt-soft", 11, Anchor::middle});
  }
  svg_y_axis(svg, y, left, right, y_unit);
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
