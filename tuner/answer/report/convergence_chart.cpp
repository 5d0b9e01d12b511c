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

/// On the axis: of a time, or of the program's own figure.
double shown_figure(const StudyResult& result, double seconds) {
  return result.own_figure ? result.own_figure->of(seconds) : seconds;
}

/// Axes around all times; nullopt without one. The first evaluation is number 1.
std::optional<LogPanel> panel_of(const StudyResult& result) {
  std::vector<double> times;
  for (const Trial& trial : result.trials)
    if (trial.ok()) times.push_back(shown_figure(result, trial.measurement->seconds.value));
  if (times.empty()) return std::nullopt;
  if (result.bound.known()) times.push_back(shown_figure(result, result.bound.low.value()));
  const double last = std::max<double>(4, static_cast<double>(result.trials.size()));
  return LogPanel{plot_left,
                  plot_top,
                  plot_right,
                  plot_bottom,
                  LogScale(0.9, last * 1.1, plot_left, plot_right),
                  LogScale(std::ranges::min(times) / 1.12, std::ranges::max(times) * 1.12,
                           plot_bottom, plot_top)};
}

/// A text at the right end of a line.
void end_label(Markup& svg, double y, const std::string& text, const char* classes) {
  svg_text(svg, plot_right + 8, y + 4, text, {classes, 11.5, Anchor::start, true});
}

void draw_bound(Markup& svg, const StudyResult& result, const LogPanel& panel, double best_y) {
  const Bound& bound = result.bound;
  if (!bound.known()) return;
  const auto place = [&](Seconds time) { return panel.y(shown_figure(result, time.value())); };
  const double y = place(bound.time);
  svg_error_bar(svg, plot_right, place(bound.high), place(bound.low), "rt-binding");
  svg_line(svg, plot_left, y, plot_right, y, "rt-binding", 2, {},
           "bound\n" + bound_sentence(result));
  end_label(svg, std::max(y, best_y + 14),
            "bound " + figure_text(result.own_figure, bound.time.value()), "rt-ink");
}

}  // namespace

std::string convergence_svg(const StudyResult& result) {
  Markup svg;
  svg_begin(svg, plot_height,
            result.own_figure ? "Best so far against evaluations"
                              : "Best time so far against evaluations",
            outcome_sentence(result),
            fmt::format("{} of each trial, and the best so far",
                        result.own_figure ? figure_name(result.own_figure) : "Time per call"));
  const auto panel = panel_of(result);
  if (!panel) {
    svg_text(svg, chart_width / 2, plot_height / 2, "no trial was measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(svg);
  }
  const AxisUnit unit = result.own_figure ? AxisUnit{} : seconds_unit(panel->y.high());
  svg_axes(svg, *panel, "evaluations (strokes above: failed trials)", unit.factor,
           result.own_figure ? figure_name(result.own_figure)
                             : fmt::format("time per call [{}]", unit.text));
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
    const std::string y = coordinate(panel->y(shown_figure(result, seconds)));
    measured += fmt::format("M{} {}h0", x, y);
    if (seconds >= best) continue;
    stairs += stairs.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
    best = seconds;
  }
  const double best_y = panel->y(shown_figure(result, best));
  draw_bound(svg, result, *panel, best_y);
  svg_path(svg, measured, "rt-trial-line", 5, 0.5);
  svg_path(svg, failed, "rt-failed", 1.6, 0.5);
  svg_path(svg, fmt::format("{}H{}", stairs, coordinate(plot_right)), "rt-best-line", 2.2);
  end_label(svg, best_y, "best trial " + figure_text(result.own_figure, best), "rt-broken-text");
  return svg_end(svg);
}

}  // namespace rooftune::report
