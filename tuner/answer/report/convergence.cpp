#include "report/convergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "report/figures.h"
#include "report/sentences.h"

namespace rooftune::report {
namespace {

constexpr double plot_left = 58, plot_top = 20, plot_bottom = 236, plot_height = 292;

/// The value on the axis: the time, or the program's own figure.
double shown_figure(const StudyResult& result, double seconds) {
  return result.own_figure ? result.own_figure->of(seconds) : seconds;
}

/// Axes around all times, with room for a label above and below; nullopt without a time. The first
/// evaluation is number 1.
std::optional<LogPanel> panel_of(const StudyResult& result, double right) {
  Numbers times;
  for (const Trial& trial : result.trials)
    if (trial.ok()) times.push_back(shown_figure(result, trial.seconds()));
  if (times.empty()) return std::nullopt;
  if (result.bound.known()) times.push_back(shown_figure(result, result.bound.low.value()));
  const double last = std::max<double>(4, double(result.trials.size()));
  const double least = std::ranges::min(times), most = std::ranges::max(times);
  const double room = 1.02 * std::pow(most / least, 0.12);
  return LogPanel{plot_left,
                  plot_top,
                  right,
                  plot_bottom,
                  LogScale(0.9, last * 1.1, plot_left, right),
                  LogScale(least / room, most * room, plot_bottom, plot_top)};
}

/// The best trial and the bound, as lines: the upper has its name above it, the lower one below it.
void draw_ends(Markup& marks, const StudyResult& result, const LogPanel& panel, double best) {
  const double best_y = panel.y(shown_figure(result, best));
  const auto name = [&](double y, bool above, const std::string& text, const char* classes) {
    svg_text(marks, panel.right - 8, above ? y - 6 : y + 14, text,
             {fmt::format("rt-halo {}", classes), 11.5, Anchor::end, true});
  };
  bool best_above = true;
  if (const Bound& bound = result.bound; bound.known()) {
    const auto place = [&](Seconds time) { return panel.y(shown_figure(result, time.value())); };
    const double y = place(bound.time);
    best_above = best_y <= y;
    svg_error_bar(marks, panel.right, place(bound.high), place(bound.low), "rt-binding");
    svg_line(marks, plot_left, y, panel.right, y, "rt-binding", 2, {},
             "bound\n" + bound_sentence(result));
    name(y, !best_above, "bound " + figure_text(result.own_figure, bound.time.value()), "rt-ink");
  }
  name(best_y, best_above, "best trial " + figure_text(result.own_figure, best), "rt-broken-text");
}

}  // namespace

Scene convergence(const StudyResult& result, double width) {
  Scene scene{result.own_figure ? "Best so far against evaluations"
                                : "Best time so far against evaluations",
              outcome_sentence(result), width, plot_height};
  const auto panel = panel_of(result, width - 16);
  if (!panel) {
    svg_text(scene.marks, width / 2, plot_height / 2, "no trial was measured",
             {"rt-soft", 14, Anchor::middle});
    return scene;
  }
  const AxisUnit unit = result.own_figure ? AxisUnit{} : seconds_unit(panel->y.high());
  svg_axes(scene.marks, *panel, "evaluations (strokes above: failed trials)", unit.factor,
           result.own_figure ? figure_name(result.own_figure)
                             : fmt::format("time per call [{}]", unit.text));
  std::string measured, failed, stairs;
  double best = HUGE_VAL;
  for (const size_t i : indices(result.trials)) {
    const Trial& trial = result.trials[i];
    const std::string x = coordinate(panel->x(double(i) + 1));
    if (!trial.ok()) {
      failed += fmt::format("M{} {}v9", x, coordinate(plot_top - 12));
      continue;
    }
    const double seconds = trial.seconds();
    const std::string y = coordinate(panel->y(shown_figure(result, seconds)));
    measured += fmt::format("M{} {}h0", x, y);
    if (seconds >= best) continue;
    stairs += stairs.empty() ? fmt::format("M{} {}", x, y) : fmt::format("H{}V{}", x, y);
    best = seconds;
  }
  scene.marks.open("g", {{"data-trials", "in order"}});
  svg_path(scene.marks, measured, "rt-trial-line", 5, 0.5);
  scene.marks.close_line();
  svg_path(scene.marks, failed, "rt-failed", 1.6, 0.5);
  svg_path(scene.marks, stairs + "H" + coordinate(panel->right), "rt-best-line", 2.2);
  draw_ends(scene.marks, result, *panel, best);
  return scene;
}

}  // namespace rooftune::report
