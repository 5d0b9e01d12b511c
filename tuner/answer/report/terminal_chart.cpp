// A roofline view drawn in characters; the caller prints it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/canvas.h"
#include "report/figures.h"
#include "report/scale.h"
#include "report/terminal.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

constexpr int gutter = 8;  ///< columns of the y axis: tick label and frame

Ink family_ink(const RooflineLine& line) {
  static const std::map<std::string, Ink> inks{{"L1", Ink::green},
                                               {"L2", Ink::yellow},
                                               {"L3", Ink::cyan},
                                               {"DRAM", Ink::red},
                                               {"fp32", Ink::magenta}};
  const auto found = inks.find(line.family);
  return line.binding ? Ink::strong : found == inks.end() ? Ink::blue : found->second;
}

/// The chart's canvas and how values become dots and characters.
struct Plot {
  Canvas canvas;
  LogScale x, y;  ///< to dots
  int column(double value) const {
    return static_cast<int>(std::lround(x(value))) * canvas.columns() / canvas.dots_across();
  }
  int row(double value) const {
    return static_cast<int>(std::lround(y(value))) * canvas.rows() / canvas.dots_down();
  }
};

/// The family's name on its line, high up where lines lie farthest apart; each level one row lower.
void tag_line(Plot& plot, const RooflineView& view, const RooflineLine& line, int number) {
  if (!line.diagonal) {
    const std::string text = line.family + " " + line.rate_label;
    const int length = columns_of(text), column = plot.canvas.columns() - length - 1;
    for (const int row : {plot.row(line.rate) - 1, plot.row(line.rate) + 1})
      if (plot.canvas.free(column, row, length))
        return plot.canvas.text(column, row, text, family_ink(line));
    return;
  }
  const int length = columns_of(line.family);
  const double end = line_span(line, view).y2;
  for (int row = plot.row(std::min(end, view.y_high * 0.8)) + 2 + number % 2;
       row < plot.canvas.rows() - 1; ++row) {
    const double position = static_cast<double>(row) * plot.canvas.dots_down() / plot.canvas.rows();
    const int column = plot.column(plot.y.inverse(position) / line.rate) - length / 2;
    if (plot.canvas.free(column - 1, row, length + 2))
      return plot.canvas.text(column, row, line.family, family_ink(line));
  }
}

void draw_lines(Plot& plot, const RooflineView& view) {
  // The binding line comes last, so it stays visible.
  for (const bool binding : {false, true})
    for (const RooflineLine& line : view.lines) {
      const LineSpan span = line_span(line, view);
      if (line.binding == binding && span.visible())
        plot.canvas.line(plot.x(span.x1), plot.y(span.y1), plot.x(span.x2), plot.y(span.y2),
                         family_ink(line), 1, line.diagonal ? '/' : '-');
    }
}

/// The kernel's column and the points in it, each with its speed where there is room.
void draw_points(Plot& plot, const RooflineView& view) {
  struct Mark {
    const std::optional<RooflinePoint>& point;
    const char* sign;
    Ink ink;
  };
  Canvas& canvas = plot.canvas;
  const int column = plot.column(*view.x);
  canvas.line(plot.x(*view.x), 0, plot.x(*view.x), canvas.dots_down() - 1, Ink::faint,
              canvas.dots_down() > canvas.rows() ? 3 : 2, ':');
  for (const Mark& mark : {Mark{view.best, "*", Ink::green}, Mark{view.bound, "o", Ink::strong},
                           Mark{view.baseline, "B", Ink::red}}) {
    if (!mark.point) continue;
    const int row = plot.row(mark.point->y);
    if (canvas.free(column, row, 1)) canvas.text(column, row, mark.sign, mark.ink);
    const std::string label =
        fmt::format(" {} {}", mark.point->label, rate_text(mark.point->y, view.unit));
    const int length = columns_of(label);
    for (const auto& [left, line] : {std::pair(column + 1, row),
                                     {column + 1, row - 1},
                                     {column - length - 1, row},
                                     {column - length - 1, row - 1}})
      if (canvas.free(left, line, length)) {
        canvas.text(left, line, label, mark.ink);
        break;
      }
  }
}

std::string faint(const std::string& text, const TerminalStyle& style) {
  return inked(text, Ink::faint, style.colour);
}

std::string with_axes(const Plot& plot, double unit, const std::string& y_title,
                      const std::string& x_title, const TerminalStyle& style) {
  const int rows = plot.canvas.rows();
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& tick : plot.y.ticks(unit))
    if (!tick.label.empty())
      labels[static_cast<std::size_t>(std::clamp(plot.row(tick.value), 0, rows - 1))] = tick.label;
  std::string out = faint(fmt::format("{:>{}}", y_title, gutter), style) + '\n';
  for (int row = 0; row < rows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    const std::string drawn = plot.canvas.row(row, style.colour);
    const char* const frame =
        label.empty() ? (style.unicode ? "\u2502" : "|") : (style.unicode ? "\u2524" : "+");
    out += faint(fmt::format("{:>{}}{}", label, gutter - 2, frame), style) +
           (drawn.empty() ? "" : " " + drawn) + '\n';
  }
  std::string axis(gutter, ' ');
  for (const Tick& tick : plot.x.ticks(1)) {
    const int length = columns_of(tick.label),
              column = gutter + plot.column(tick.value) - length / 2;
    const int blanks = column - columns_of(axis), least = columns_of(axis) > gutter ? 1 : 0;
    if (tick.label.empty() || blanks < least || column + length > gutter + plot.canvas.columns())
      continue;
    axis += std::string(static_cast<std::size_t>(blanks), ' ') + tick.label;
  }
  out += faint(axis, style) + '\n';
  if (x_title.empty()) return out;
  const int pad = std::max(0, (style.width + gutter - columns_of(x_title)) / 2);
  return out + faint(fmt::format("{:{}}{}", "", pad, fitted(x_title, style.width - pad)), style) +
         '\n';
}

/// Meanings of the tags.
std::string key(const RooflineView& view, const TerminalStyle& style) {
  std::string text;
  for (const RooflineLine& line : view.lines)
    text += fmt::format("{}{}: {} {}{}", text.empty() ? "" : "; ", line.family, line.name,
                        line.rate_label,
                        line.binding   ? " (binding)"
                        : line.applies ? ""
                                       : " (no traffic there)");
  return paragraph(std::string(gutter, ' '), text, style.width);
}

std::string intensity_words(const RooflineView& view) {
  return view.unit + "/B" + (view.level.empty() ? "" : " of least " + view.level + " traffic");
}

AxisUnit speed_unit(const RooflineView& view) {
  return axis_unit(view.best ? view.best->y : view.y_high / 4, view.unit);
}

Plot drawn(const RooflineView& view, const TerminalStyle& style, int rows) {
  Canvas canvas(std::max(20, style.width - gutter), rows, style.unicode);
  const LogScale x(view.x_low, view.x_high, 0, canvas.dots_across() - 1);
  const LogScale y(view.y_low, view.y_high, canvas.dots_down() - 1, 0);
  Plot plot{std::move(canvas), x, y};
  draw_lines(plot, view);
  if (view.x) draw_points(plot, view);
  int number = 0;
  for (const RooflineLine& line : view.lines)
    if (line.roof) tag_line(plot, view, line, number++);
  return plot;
}

}  // namespace

std::string roofline_characters(RooflineView view, const TerminalStyle& style) {
  std::erase_if(view.lines, [](const RooflineLine& line) { return !line.roof && !line.binding; });
  const AxisUnit unit = speed_unit(view);
  const std::string text = with_axes(drawn(view, style, style.width >= 100 ? 22 : 17), unit.factor,
                                     unit.text, intensity_words(view), style) +
                           key(view, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace rooftune::report
