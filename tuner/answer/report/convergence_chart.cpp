// The chart of best-so-far against evaluations, with the bound.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/chart.h"
#include "report/sentences.h"
#include "report/svg.h"

namespace rooftune::report {
namespace {

constexpr double plot_left = 74, plot_right = 1040, plot_top = 46, plot_bottom = 262,
                 plot_height = 320;

/// Axes around all times; nullopt without one. The first evaluation is number 1.
std::optional<LogPanel> panel_of(const StudyResult& result) {
  std::vector<double> times;
  for (const Trial& trial : result.trials)
    if (trial.ok()) times.push_back(trial.measurement->seconds.value);
  if (times.empty()) return std::nullopt;
  const double high = std::ranges::max(times);
  if (result.bound.known()) times.push_back(result.bound.low.value());
  const double last = std::max<double>(4, static_cast<double>(result.trials.size()));
  return LogPanel{plot_left,
                  plot_top,
                  plot_right,
                  plot_bottom,
                  LogScale(0.9, last * 1.1, plot_left, plot_right),
                  LogScale(std::ranges::min(times) / 1.12, high * 1.12, plot_bottom, plot_top)};
}

/// A text at the right end of a line.
void end_label(Markup& svg, double y, const std::string& text, const char* classes) {
  svg_text(svg, plot_right + 8, y + 4, text, {classes, 11.5, Anchor::start, true});
}

void draw_bound(Markup& svg, const StudyResult& result, const LogPanel& panel, double best_y) {
  const Bound& bound = result.bound;
  if (!bound.known()) return;
  const double y = panel.y(bound.time.value());
  svg_error_bar(svg, plot_right, panel.y(bound.high.value()), panel.y(bound.low.value()),
                "rt-binding");
  svg_line(svg, plot_left, y, plot_right, y, "rt-binding", 2, {},
           "bound\n" + bound_sentence(result));
  end_label(svg, std::max(y, best_y + 14), "bound " + seconds_text(bound.time.value()), "rt-ink");
}

}  // namespace

std::string convergence_svg(const StudyResult& result) {
  Markup svg;
  svg_begin(svg, plot_height, "Best time so far against evaluations", outcome_sentence(result),
            "Time per call of each trial, and the best so far");
  const auto panel = panel_of(result);
  if (!panel) {
    svg_text(svg, chart_width / 2, plot_height / 2, "no trial was measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(svg);
  }
  const AxisUnit unit = seconds_unit(panel->y.high());
  svg_axes(svg, *panel, "evaluations (strokes above: failed trials)", unit.factor,
           fmt::format("time per call [{}]", unit.text));
  std::string measured, failed, stairs;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    const Trial& trial = result.trials[i];
    const std::string x = coordinate(panel->x(static_cast<double>(i) + 1));
    if (!trial.ok()) {
      failed += fmt::format("M{} {}v9", x, coordinate(plot_top - 12));
      continue;
    }
    const double seconds = trial.measurement->seconds.value;
    const std::string y = coordinate(panel->y(seconds));
    measured += fmt::format("M{} {}h0", x, y);
    if (seconds >= best) continue;
    stairs += stairs.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
    best = seconds;
  }
  draw_bound(svg, result, *panel, panel->y(best));
  svg_path(svg, measured, "rt-trial-line", 5, 0.5);
  svg_path(svg, failed, "rt-failed", 1.6, 0.5);
  svg_path(svg, fmt::format("{}H{}", stairs, coordinate(plot_right)), "rt-best-line", 2.2);
  end_label(svg, panel->y(best), "best trial " + seconds_text(best), "rt-broken-text");
  return svg_end(svg);
}

}  // namespace rooftune::report
