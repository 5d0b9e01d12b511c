#include "report/terminal_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "report/canvas.h"
#include "report/figures.h"
#include "report/roofline_view.h"
#include "report/scale.h"
#include "report/text_table.h"

namespace rooftune::report {
namespace {

constexpr int gutter = 8;  ///< columns of the y axis: tick label and frame

Ink family_ink(const RooflineLine& line) {
  if (line.binding) return Ink::strong;
  if (line.family == "L1") return Ink::green;
  if (line.family == "L2") return Ink::yellow;
  if (line.family == "L3") return Ink::cyan;
  if (line.family == "DRAM") return Ink::red;
  return line.family == "fp32" ? Ink::magenta : Ink::blue;
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

Plot plot_of(const RooflineView& view, const TerminalStyle& style, int rows) {
  Canvas canvas(std::max(20, style.width - gutter), rows, style.unicode);
  const LogScale x(view.x_low, view.x_high, 0, canvas.dots_across() - 1);
  const LogScale y(view.y_low, view.y_high, canvas.dots_down() - 1, 0);
  return {std::move(canvas), x, y};
}

double fastest_roof(const RooflineView& view, bool diagonal) {
  double rate = 0;
  for (const RooflineLine& line : view.lines)
    if (line.diagonal == diagonal && line.roof) rate = std::max(rate, line.rate);
  return rate;
}

void draw_line(Plot& plot, const RooflineView& view, const RooflineLine& line) {
  const double peak = fastest_roof(view, false), slope = fastest_roof(view, true);
  double x1 = view.x_low, x2 = view.x_high;
  if (line.diagonal) {
    x1 = std::max(x1, view.y_low / line.rate);
    x2 = std::min(x2, (peak > 0 ? std::min(peak, view.y_high) : view.y_high) / line.rate);
  } else if (slope > 0) {
    x1 = std::max(x1, line.rate / slope);
  }
  if (x1 >= x2) return;
  const double y1 = line.diagonal ? x1 * line.rate : line.rate;
  const double y2 = line.diagonal ? x2 * line.rate : line.rate;
  plot.canvas.line(plot.x(x1), plot.y(y1), plot.x(x2), plot.y(y2), family_ink(line),
                   line.binding || !line.applies ? 1
                   : line.roof                   ? 1
                                                 : 4,
                   line.diagonal ? '/' : '-');
}

/// The family's name on its line, high up where lines lie farthest apart; each level one row lower.
void tag_line(Plot& plot, const RooflineView& view, const RooflineLine& line, int number) {
  const int length = columns_of(line.family);
  if (!line.diagonal) {
    const std::string text = line.family + " " + line.rate_label;
    const int row = plot.row(line.rate), column = plot.canvas.columns() - columns_of(text) - 1;
    for (const int above : {-1, 1})
      if (plot.canvas.free(column, row + above, columns_of(text))) {
        plot.canvas.text(column, row + above, text, family_ink(line));
        return;
      }
    return;
  }
  const double peak = fastest_roof(view, false);
  const int top = plot.row(peak > 0 ? peak : view.y_high * 0.8);
  for (int row = top + 2 + number % 2; row < plot.canvas.rows() - 1; ++row) {
    const double position = static_cast<double>(row) * plot.canvas.dots_down() / plot.canvas.rows();
    const int column = plot.column(plot.y.inverse(position) / line.rate) - length / 2;
    if (!plot.canvas.free(column - 1, row, length + 2)) continue;
    plot.canvas.text(column, row, line.family, family_ink(line));
    return;
  }
}

void draw_lines(Plot& plot, const RooflineView& view) {
  // The binding line comes last, so it stays visible.
  for (const bool binding : {false, true})
    for (const RooflineLine& line : view.lines)
      if (line.binding == binding && (line.roof || line.binding)) draw_line(plot, view, line);
  int number = 0;
  for (const RooflineLine& line : view.lines)
    if (line.roof) tag_line(plot, view, line, number++);
}

/// Points in the same row share a label: best before bound before baseline.
void draw_points(Plot& plot, const RooflineView& view) {
  struct Mark {
    const std::optional<RooflinePoint>& point;
    const char* sign;
    Ink ink;
  };
  const double x = *view.x;
  const int column = plot.column(x);
  plot.canvas.line(plot.x(x), 0, plot.x(x), plot.canvas.dots_down() - 1, Ink::faint,
                   plot.canvas.dots_down() > plot.canvas.rows() ? 3 : 2, ':');
  for (const RooflinePoint& other : view.sample)
    plot.canvas.text(plot.column(other.x), plot.row(other.y), "+", Ink::none);
  for (int row = 0; row < plot.canvas.rows(); ++row) {
    std::string label, names;
    const char* sign = nullptr;
    Ink ink = Ink::none;
    for (const Mark& mark : {Mark{view.best, "*", Ink::green}, Mark{view.bound, "o", Ink::strong},
                             Mark{view.baseline, "B", Ink::red}}) {
      if (!mark.point || plot.row(mark.point->y) != row) continue;
      if (!sign) sign = mark.sign, ink = mark.ink;
      names += (names.empty() ? " " : ", ") + mark.point->label;
      label += fmt::format("{} {} {}", label.empty() ? "" : ",", mark.point->label,
                           rate_text(mark.point->y, view.unit));
    }
    if (!sign) continue;
    plot.canvas.text(column, row, sign, ink);
    const auto fits = [&](const std::string& text) {
      return column + 1 + columns_of(text) <= plot.canvas.columns();
    };
    if (fits(label))
      plot.canvas.text(column + 1, row, label, ink);
    else if (columns_of(label) <= column)
      plot.canvas.text(column - columns_of(label) - 1, row, label, ink);
    else if (fits(names))
      plot.canvas.text(column + 1, row, names, ink);
  }
}

std::string with_axes(const Plot& plot, double unit, const std::string& y_title,
                      const std::string& x_title, const TerminalStyle& style) {
  const char* bar = style.unicode ? "\u2502" : "|";
  const char* tee = style.unicode ? "\u2524" : "+";
  const int rows = plot.canvas.rows();
  std::vector<std::string> labels(static_cast<std::size_t>(rows));
  for (const Tick& tick : plot.y.ticks(unit))
    if (!tick.label.empty())
      labels[static_cast<std::size_t>(std::clamp(plot.row(tick.value), 0, rows - 1))] = tick.label;
  std::string out = inked(fmt::format("{:>{}}", y_title, std::max(gutter, columns_of(y_title))),
                          Ink::faint, style.colour) +
                    '\n';
  for (int row = 0; row < rows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    const std::string drawn = plot.canvas.row(row, style.colour);
    out += inked(fmt::format("{:>{}}{}", label, gutter - 2, label.empty() ? bar : tee), Ink::faint,
                 style.colour) +
           (drawn.empty() ? "" : " " + drawn) + '\n';
  }
  std::string axis(static_cast<std::size_t>(plot.canvas.columns()), ' ');
  int end = -1;
  for (const Tick& tick : plot.x.ticks(1)) {
    const int length = columns_of(tick.label), column = plot.column(tick.value) - length / 2;
    if (tick.label.empty() || column <= end || column + length > plot.canvas.columns()) continue;
    axis.replace(static_cast<std::size_t>(column), static_cast<std::size_t>(length), tick.label);
    end = column + length;
  }
  while (!axis.empty() && axis.back() == ' ') axis.pop_back();
  out += inked(std::string(gutter, ' ') + axis, Ink::faint, style.colour) + '\n';
  if (x_title.empty()) return out;
  const int pad = std::max(0, (style.width + gutter - columns_of(x_title)) / 2);
  return out +
         inked(fmt::format("{}{}", std::string(static_cast<std::size_t>(pad), ' '),
                           fitted(x_title, style.width - pad)),
               Ink::faint, style.colour) +
         '\n';
}

/// Meanings of the tags.
std::string key(const RooflineView& view, const TerminalStyle& style) {
  std::string text;
  for (const RooflineLine& line : view.lines)
    if (line.roof || line.binding)
      text += fmt::format("{}{}: {} {}{}", text.empty() ? "" : "; ", line.family, line.name,
                          line.rate_label,
                          line.binding   ? " (binding)"
                          : line.applies ? ""
                                         : " (no traffic there)");
  if (!view.sample.empty())
    text += fmt::format("; +: other configurations at their counted {} traffic", view.level);
  return paragraph(std::string(gutter, ' '), text, style.width);
}

std::string intensity_words(const RooflineView& view) {
  return (view.unit == "flop" ? "flop/B" : view.unit + "/B") +
         (view.level.empty() ? "" : " of least " + view.level + " traffic");
}

std::string drawn(Plot& plot, const RooflineView& view, const TerminalStyle& style,
                  const std::string& x_title) {
  const AxisUnit unit = axis_unit(view.best ? view.best->y : view.y_high / 4, view.unit);
  const std::string text =
      with_axes(plot, unit.factor, unit.text, x_title, style) + key(view, style);
  return style.unicode ? text : ascii_only(text);
}

}  // namespace

std::string roofline_characters(const RooflineView& view, const TerminalStyle& style) {
  Plot plot = plot_of(view, style, style.width >= 100 ? 22 : 17);
  draw_lines(plot, view);
  if (view.x) draw_points(plot, view);
  return drawn(plot, view, style, intensity_words(view));
}

std::vector<std::string> small_roofline(RooflineView view, const TerminalStyle& style) {
  std::erase_if(view.lines, [](const RooflineLine& line) {
    return !line.binding && !line.own && !(line.roof && line.applies);
  });
  Plot plot = plot_of(view, style, 8);
  draw_lines(plot, view);
  draw_points(plot, view);
  const AxisUnit unit = axis_unit(view.best ? view.best->y : view.y_high / 4, view.unit);
  const std::string text =
      with_axes(plot, unit.factor, unit.text + " over " + intensity_words(view), "", style);
  std::vector<std::string> lines;
  std::istringstream in(style.unicode ? text : ascii_only(text));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string terminal_roofline(const StudyResult& report, const TerminalStyle& style) {
  return roofline_characters(roofline_view(report), style);
}

}  // namespace rooftune::report
