#include "report/waterfall.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/list.h"
#include "report/answer.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/staircase.h"

namespace rooftune::report {
namespace {

constexpr double bar_height = 15, line_height = 16, row_gap = 12, limit_size = 11;

/// Where all rows are drawn.
struct Frame {
  double names;  ///< width of the names' column; 0: names stand above the bars
  LogPanel panel;
};

/// A ceiling or wall at the time that it allows.
struct LimitMark {
  std::string words;  ///< as in the table: "DRAM without prefetch"
  std::string hover;  ///< with its ceiling and time; one line each
  double seconds = 0;
};
using LimitMarks = std::vector<LimitMark>;

/// A step, or, below the last step, what is still possible.
struct WaterfallRow {
  std::string name, because = {}, figure = {};  ///< its step, reason and gain
  std::optional<double> from = {}, to = {};
  std::string time = {}, hover = {};
  LimitMarks limits = {};
  const char *bar_class = "rt-best", *limit_class = "rt-broken";
};
using WaterfallRows = std::vector<WaterfallRow>;

/// The slowest first. Several ceilings have the same words; the fastest among them counts.
LimitMarks limit_marks(const LedgerEntries& entries) {
  LimitMarks marks;
  for (const LedgerEntry& entry : entries) {
    const double seconds = entry.beside.value();
    LimitMark mark{short_name(entry), {}, seconds};
    mark.hover = fmt::format("{}\n{} at {}", mark.words, seconds_text(seconds), entry.ceiling);
    LimitMark* const same = first_with(marks, &LimitMark::words, mark.words);
    if (!same)
      marks.push_back(std::move(mark));
    else if (seconds < same->seconds)
      *same = std::move(mark);
  }
  stable_sort(marks, std::greater(), &LimitMark::seconds);
  return marks;
}

WaterfallRow stair_row(const StudyResult& result, size_t number, std::optional<double> before) {
  const Stair& stair = result.staircase->stairs[number];
  const std::string step = stair_name(result, stair);
  WaterfallRow row{.name = number == 0 ? step : fmt::format("{}. {}", number, step),
                   .from = before,
                   .limits = limit_marks(stair.passed)};
  if (!stair.seconds) {
    row.name += ": " + stair.absent_because;
    return row;
  }
  row.to = stair.seconds->value;
  row.time = figure_text(result.own_figure, *row.to);
  row.because = because_text(stair.because, 0);
  row.hover = step + "\n" + row.time;
  if (!row.because.empty()) row.hover += "\n" + row.because;
  if (stair.gain) {
    row.figure = ratio_text(stair.gain->value);
    row.hover += "\n" + ratio_interval(*stair.gain) + " faster than the step before";
  }
  if (!before || *row.to > *before) row.bar_class = "rt-base";
  return row;
}

/// What is left, in the answer's words, with the limits that the winner has still to pass.
WaterfallRow rest_row(const StudyResult& result, const Claim& more, double winner) {
  WaterfallRow row{
      .name = words_of(more), .from = winner, .bar_class = "rt-rest", .limit_class = "rt-above"};
  const double times = more.value_of("at_most"), least = winner / times;
  if (!(times > 1)) return row;
  row.hover = std::exchange(
      row.name, fmt::format("at most {} more: {}", ratio_text(times), part_name(more.subject)));
  row.to = least;
  row.time = figure_text(result.own_figure, least);
  constexpr size_t most = 2;
  row.limits = limit_marks(filtered(result.ledger, [&](const LedgerEntry& entry) {
    const double seconds = entry.beside.value();
    return !entry.passed_by && seconds < winner && seconds > least * 1.01;
  }));
  row.limits.resize(std::min(most, row.limits.size()));
  return row;
}

/// Empty where no stair has a time.
WaterfallRows rows_of(const StudyResult& result) {
  WaterfallRows rows;
  std::optional<double> last;
  for (size_t i = 0; result.staircase && i < result.staircase->stairs.size(); ++i) {
    rows.push_back(stair_row(result, i, last));
    if (rows.back().to) last = rows.back().to;
  }
  if (!last) return {};
  const Claims said = claims(result);
  if (const Claim* const more = claim_of(said, Claim::Kind::more))
    rows.push_back(rest_row(result, *more, *last));
  return rows;
}

/// A frame with room for a time's text at the left of every bar.
Frame frame_of(const WaterfallRows& rows, double width) {
  const double names = width > 700 ? 0.3 * width : 0, left = names > 0 ? names + 30 : 12,
               right = width - 16, room = 66;
  Numbers all;
  for (const WaterfallRow& row : rows) {
    if (row.to) all.push_back(*row.to);
    append(all, members(row.limits, &LimitMark::seconds));
  }
  const double low = std::ranges::min(all), high = std::max(1.3 * low, std::ranges::max(all));
  const double ends = 1.04, pixels = right - left;
  const double decades = std::log10(high * ends / low) * pixels / (pixels - room);
  return {
      names,
      {left, 8, right, 0, LogScale(high * ends / std::pow(10, decades), high * ends, left, right),
       LogScale(1, 10, 1, 0)}};
}

/// Draws the rows into a frame.
struct Waterfall : Frame {
  Markup& marks;
  double width;

  /// The reason stands below the name where there is a column for both.
  double row_height(const WaterfallRow& row) const {
    const bool bare = !row.to;
    const double name = names > 0 && !bare ? 0 : line_height;
    const double limits = double(row.limits.size()) * line_height;
    const double reason = names > 0 && !row.because.empty() ? line_height : 0;
    return name + (bare ? 0 : bar_height) + std::max(limits, reason) + row_gap;
  }

  void draw_name(double y, const WaterfallRow& row) {
    constexpr double size = 12;
    const TextStyle strong{"rt-halo rt-ink", size, Anchor::end, true};
    const double right = names > 0 ? names + 14 : width - 16;
    const double figure = text_width(row.figure, size) * 1.08;
    svg_text(marks, 14, y, elided(row.name, right - 14 - figure - 12, size),
             {"rt-halo rt-ink", size});
    if (!row.figure.empty()) svg_text(marks, right, y, row.figure, strong);
    if (names > 0 && !row.because.empty())
      svg_text(marks, 14, y + line_height, elided(row.because, right - 14, limit_size),
               {"rt-soft", limit_size});
  }

  /// The bar, and its time at its left end.
  void draw_bar(double top, const WaterfallRow& row) {
    if (!row.to) return;
    const LogScale& x = panel.x;
    const double to = x(*row.to), from = row.from ? x(*row.from) : to;
    const double left = std::min(from, to), wide = std::max(3.0, std::abs(from - to));
    marks
        .empty("rect", {{"class", row.bar_class},
                        {"x", left},
                        {"y", top},
                        {"width", wide},
                        {"height", bar_height},
                        {"rx", "2"}})
        .newline();
    svg_text(marks, left - 6, top + bar_height - 3.5, row.time,
             {"rt-halo rt-ink", 11.5, Anchor::end, true});
  }

  /// A ceiling's words beside the dot on its line, on the side with more room.
  void draw_limit(double y, const LimitMark& limit, const char* classes) {
    const double x = panel.x(limit.seconds), right = panel.right - x, left = x - panel.left;
    const bool after = right >= std::min(left, text_width(limit.words, limit_size) + 10);
    const double room = (after ? right : left) - 10;
    marks.open("g", {{"data-limit", limit.words}}).element("title", {}, limit.hover);
    svg_marker(marks, Marker::diamond, x, y - 3.8, 4, std::string(classes) + "-text");
    svg_text(
        marks, after ? x + 9 : x - 9, y, elided(limit.words, room, limit_size),
        {fmt::format("rt-halo {}-text", classes), limit_size, after ? Anchor::start : Anchor::end});
    marks.close_line();
  }

  void draw_row(double top, const WaterfallRow& row) {
    const bool bare = !row.to;
    const double bar_top = names > 0 && !bare ? top : top + line_height;
    if (!row.hover.empty()) marks.element("title", {}, row.hover);
    draw_name(names > 0 && !bare ? top + bar_height - 3.5 : top + 11, row);
    draw_bar(bar_top, row);
    double y = bar_top + (bare ? 0 : bar_height) + 12;
    for (const LimitMark& limit : row.limits) {
      draw_limit(y, limit, row.limit_class);
      y += line_height;
    }
  }

  /// Drawn below everything else: each limit as a line across all rows, and the steps from bar to
  /// bar.
  void draw_lines(const WaterfallRows& rows) {
    for (const WaterfallRow& row : rows)
      for (const LimitMark& limit : row.limits) {
        const double x = panel.x(limit.seconds);
        marks.open("g", {{"data-limit", limit.words}});
        svg_line(marks, x, panel.top, x, panel.bottom, row.limit_class, 1.2, "5 4", limit.hover);
        marks.close_line();
      }
  }

  /// Lines from the end of a bar down to the next bar.
  void draw_steps(const WaterfallRows& rows, const Numbers& tops) {
    for (size_t i = 1; i < rows.size(); ++i)
      if (rows[i].from && rows[i].to) {
        const double x = panel.x(*rows[i].from);
        svg_line(marks, x, tops[i - 1] + bar_height, x, tops[i], "rt-axis", 1);
      }
  }
};

}  // namespace

Scene waterfall(const StudyResult& result, double width) {
  Scene scene{"Staircase of " + study_sentence(result),
              "A bar for each step from the time before to its own; a line for each ceiling.",
              width};
  const WaterfallRows rows = rows_of(result);
  if (rows.empty()) return scene;
  Waterfall draws{frame_of(rows, width), scene.marks, width};
  Numbers tops, bars;
  double y = draws.panel.top + 6;
  for (const WaterfallRow& row : rows) {
    tops.push_back(y);
    bars.push_back(draws.names > 0 ? y : y + line_height);
    y += draws.row_height(row);
  }
  draws.panel.bottom = y;
  scene.height = y + 48;
  const AxisUnit unit = seconds_unit(draws.panel.x.high());
  if (result.own_figure)
    svg_text(scene.marks, draws.panel.left, y + 20, figure_name(result.own_figure), {"rt-ink", 12});
  else
    svg_x_axis(scene.marks, draws.panel, unit.factor, fmt::format("time per call [{}]", unit.text));
  draws.draw_lines(rows);
  draws.draw_steps(rows, bars);
  for (const size_t i : indices(rows)) {
    scene.marks.open("g", {{"data-stair", std::to_string(i)}});
    draws.draw_row(tops[i], rows[i]);
    scene.marks.close_line();
  }
  return scene;
}

}  // namespace rooftune::report
