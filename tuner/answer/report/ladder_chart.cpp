// The ladder chart of a machine: every ceiling as a bar of its rate, by level and kind.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "report/chart.h"
#include "report/figures.h"
#include "report/palette.h"
#include "report/svg.h"

namespace rooftune::report {
namespace {

constexpr double ladder_top = 74, row_height = 15;

/// Ceilings with a difference only in threads, ILP, pages and working set share a row.
struct Row {
  std::string label, family;
  std::vector<const Ceiling*> ceilings;
  double fastest = 0;
};

/// One half of the chart: in-core or bandwidth.
struct Half {
  double left, right;
  const char* title;
  const char* unit;
  std::vector<Row> rows;
  double low = std::numeric_limits<double>::infinity(), high = 0;
};

std::string row_label(const Ceiling& c) {
  if (c.kind == Ceiling::Kind::in_core)
    return fmt::format("{} {} {}", c.precision, c.mix,
                       c.simd_bits <= 64 ? std::string("scalar") : std::to_string(c.simd_bits));
  std::string text = c.level + " " + c.mix;
  if (c.non_temporal) text += " nt";
  if (c.remote) text += " remote";
  if (c.stride > 8) text += fmt::format(" stride {}", tick_text(c.stride));
  return text;
}

Half half_of(const Machine& machine, Ceiling::Kind kind, double left, double right) {
  Half half{left,
            right,
            kind == Ceiling::Kind::in_core ? "in-core rate" : "bandwidth, nominal bytes",
            kind == Ceiling::Kind::in_core ? "flop" : "B",
            {}};
  std::map<std::string, std::size_t> position;
  for (const Ceiling& c : machine.ceilings) {
    if (c.kind != kind || !(c.rate.value > 0)) continue;
    const std::string label = row_label(c);
    const auto [at, fresh] = position.emplace(label, half.rows.size());
    if (fresh)
      half.rows.push_back({label, kind == Ceiling::Kind::in_core ? c.precision : c.level, {}, 0});
    Row& row = half.rows[at->second];
    row.ceilings.push_back(&c);
    row.fastest = std::max(row.fastest, c.rate.value);
    half.low = std::min(half.low, c.rate.value);
    half.high = std::max(half.high, c.rate.value);
  }
  const auto depth = [&](const Row& row) {
    return std::find_if(machine.levels.begin(), machine.levels.end(),
                        [&](const MemoryLevel& level) { return level.name == row.family; }) -
           machine.levels.begin();
  };
  std::stable_sort(half.rows.begin(), half.rows.end(), [&](const Row& a, const Row& b) {
    if (a.family != b.family)
      return kind == Ceiling::Kind::in_core ? a.family > b.family : depth(a) < depth(b);
    return a.fastest > b.fastest;
  });
  return half;
}

std::string ladder_hover(const Ceiling& c) {
  return fmt::format("{}{}\n{}\n{}", c.name, c.stable ? "" : " (windows disagree)",
                     rate_interval(c.rate, rate_unit(c)), source_text(c.source));
}

void draw_row(Markup& svg, const Half& half, const Row& row, const LogScale& x, double y,
              int most_threads) {
  const std::string family = family_class(row.family);
  svg_text(svg, half.left - 8, y + 3.6, elided(row.label, 150, chart_label_size),
           {family + "-text", chart_label_size, Anchor::end});
  double slowest = row.fastest;
  for (const Ceiling* c : row.ceilings) slowest = std::min(slowest, c->rate.value);
  svg_line(svg, x(slowest), y, x(row.fastest), y, family, 1);
  std::vector<const Ceiling*> order = row.ceilings;
  // Filled points come last: a hollow one would cover them.
  std::stable_sort(order.begin(), order.end(),
                   [](const Ceiling* a, const Ceiling* b) { return a->threads < b->threads; });
  for (const Ceiling* c : order) {
    if (!c->stable) {
      svg_marker(svg, Marker::cross, x(c->rate.value), y, 3, "rt-failed", ladder_hover(*c));
      continue;
    }
    const bool all = c->threads == most_threads;
    svg.open("circle", {{"cx", coordinate(x(c->rate.value))},
                        {"cy", coordinate(y)},
                        {"r", "3.4"},
                        {"class", all ? family + "-text" : "rt-hollow " + family},
                        {"stroke-width", all ? "0" : "1.3"}});
    svg.element("title", {}, ladder_hover(*c)).close().newline();
  }
}

void draw_half(Markup& svg, const Half& half, int most_threads) {
  if (half.rows.empty()) {
    svg_text(svg, (half.left + half.right) / 2, ladder_top + 30, "none measured",
             {"rt-soft", 12, Anchor::middle});
    return;
  }
  const double bottom = ladder_top + row_height * static_cast<double>(half.rows.size());
  const LogScale x(half.low / 1.3, half.high * 1.3, half.left, half.right);
  const AxisUnit unit = axis_unit(half.high / 30, half.unit);
  for (const Tick& tick : x.ticks(unit.factor)) {
    svg_line(svg, x(tick.value), ladder_top, x(tick.value), bottom,
             tick.label.empty() ? "rt-grid-minor" : "rt-grid", 1);
    if (!tick.label.empty())
      svg_text(svg, x(tick.value), bottom + 16, tick.label, {"rt-soft", 11, Anchor::middle});
  }
  svg_text(svg, (half.left + half.right) / 2, bottom + 36,
           fmt::format("{} [{}]", half.title, unit.text), {"rt-ink", 12, Anchor::middle});
  double y = ladder_top + row_height / 2;
  for (const Row& row : half.rows) {
    draw_row(svg, half, row, x, y, most_threads);
    y += row_height;
  }
}

}  // namespace

std::string ladder_svg(const Machine& machine) {
  int most_threads = 1;
  for (const Ceiling& c : machine.ceilings) most_threads = std::max(most_threads, c.threads);
  const Half in_core = half_of(machine, Ceiling::Kind::in_core, 180, 560);
  const Half bandwidth = half_of(machine, Ceiling::Kind::bandwidth, 770, chart_width - 30);
  const double rows = static_cast<double>(std::max(in_core.rows.size(), bandwidth.rows.size()));
  Markup svg;
  svg_begin(svg, chart_width, ladder_top + rows * row_height + 60,
            "Every ceiling of machine " + machine.name,
            "in-core rates on the left, bandwidths on the right");
  svg_text(svg, 22, 28, "Every ceiling, by what it does", {"rt-ink", 17, Anchor::start, true});
  svg_text(svg, 22, 49,
           fmt::format("filled: {} threads; hollow: fewer; cross: not reproduced; along a row: "
                       "ILP, page size, working set",
                       most_threads),
           {"rt-soft", 12});
  draw_half(svg, in_core, most_threads);
  draw_half(svg, bandwidth, most_threads);
  return svg_end(svg);
}

}  // namespace rooftune::report
