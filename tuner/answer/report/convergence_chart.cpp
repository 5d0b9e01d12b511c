// The chart of best-so-far against evaluations, with the bound.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/chart.h"
#include "report/figures.h"
#include "report/sentences.h"
#include "report/svg.h"

namespace rooftune::report {
namespace {

constexpr ChartFrame area{.height = 320, .left = 74, .top = 46, .right = 1040, .bottom = 262};

struct Convergence {
  LinearScale x;
  LogScale y;
};

std::optional<Convergence> scales(const StudyResult& report) {
  double low = report.bound.time.value() > 0 ? report.bound.low.value()
                                             : std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Trial& trial : report.trials)
    if (trial.ok()) {
      low = std::min(low, trial.measurement->seconds.value);
      high = std::max(high, trial.measurement->seconds.value);
    }
  if (high == 0) return std::nullopt;
  const double last = std::max<double>(2, static_cast<double>(report.trials.size()));
  return Convergence{LinearScale(0.5, last + 0.5, area.left, area.right),
                     LogScale(low / 1.12, high * 1.12, area.bottom, area.top)};
}

/// Trials count from 1 here: the first evaluation is number 1.
double trial_number(std::size_t position) { return static_cast<double>(position) + 1; }

void draw_best_so_far(Markup& svg, const StudyResult& report, const Convergence& scale) {
  std::vector<std::pair<double, double>> stairs;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    if (!trial.ok() || trial.measurement->seconds.value >= best) continue;
    if (!stairs.empty()) stairs.emplace_back(scale.x(trial_number(i)), stairs.back().second);
    best = trial.measurement->seconds.value;
    stairs.emplace_back(scale.x(trial_number(i)), scale.y(best));
  }
  stairs.emplace_back(area.right, stairs.back().second);
  svg_polyline(svg, stairs, "rt-best-line", 2.2);
  svg_text(svg, area.right + 8, stairs.back().second + 4, "best trial " + seconds_text(best),
           {"rt-broken-text", 11.5, Anchor::start, true});
}

void draw_bound(Markup& svg, const StudyResult& report, const Convergence& scale, double best_y) {
  const Bound& bound = report.bound;
  if (!(bound.time.value() > 0)) return;
  const double y = scale.y(bound.time.value());
  const double y1 = scale.y(bound.high.value()), y2 = scale.y(bound.low.value());
  svg.empty("rect", {{"class", "rt-band"},
                     {"opacity", "0.12"},
                     {"x", coordinate(area.left)},
                     {"y", coordinate(y1)},
                     {"width", coordinate(area.right - area.left)},
                     {"height", coordinate(y2 - y1)}})
      .newline();
  svg_line(svg, area.left, y, area.right, y, "rt-binding", 2, {},
           "bound\n" + bound_sentence(report));
  svg_text(svg, area.right + 8, std::max(y, best_y + 14) + 4,
           "bound " + seconds_text(bound.time.value()), {"rt-ink", 11.5, Anchor::start, true});
}

void draw_trials(Markup& svg, const StudyResult& report, const Convergence& scale) {
  std::string measured, failed;
  for (std::size_t i = 0; i < report.trials.size(); ++i) {
    const Trial& trial = report.trials[i];
    const std::string x = coordinate(scale.x(trial_number(i)));
    if (trial.ok())
      measured += fmt::format("M{} {}h0", x, coordinate(scale.y(trial.measurement->seconds.value)));
    else
      failed += fmt::format("M{} {}v9", x, coordinate(area.top - 12));
  }
  for (const auto& [dots, classes, width] :
       {std::tuple(measured, "rt-trial-line", "5"), std::tuple(failed, "rt-failed", "1.6")})
    if (!dots.empty())
      svg.empty("path", {{"class", classes},
                         {"d", dots},
                         {"stroke-width", width},
                         {"stroke-linecap", "round"},
                         {"opacity", "0.5"}})
          .newline();
}

}  // namespace

std::string convergence_svg(const StudyResult& report) {
  Markup svg;
  svg_begin(svg, chart_width, area.height, "Best time so far against evaluations",
            outcome_sentence(report));
  const auto scale = scales(report);
  if (!scale) {
    svg_text(svg, chart_width / 2, area.height / 2, "no trial was measured",
             {"rt-soft", 14, Anchor::middle});
    return svg_end(svg);
  }
  svg.empty("rect", {{"class", "rt-panel"},
                     {"x", coordinate(area.left)},
                     {"y", coordinate(area.top)},
                     {"width", coordinate(area.right - area.left)},
                     {"height", coordinate(area.bottom - area.top)}})
      .newline();
  const double typical = scale->y.high();
  const double unit = typical >= 1 ? 1 : typical >= 1e-3 ? 1e-3 : typical >= 1e-6 ? 1e-6 : 1e-9;
  const char* unit_name = typical >= 1      ? "s"
                          : typical >= 1e-3 ? "ms"
                          : typical >= 1e-6 ? "us"
                                            : "ns";
  svg_y_axis(svg, scale->y, area.left, area.right, unit);
  for (const Tick& tick : scale->x.ticks(10))
    svg_text(svg, scale->x(tick.value), area.bottom + 17, tick.label,
             {"rt-soft", 11, Anchor::middle});
  svg_text(svg, area.left - 52, 24, "Time per call of each trial, and the best so far",
           {"rt-ink", 14, Anchor::start, true});
  svg_text(svg, (area.left + area.right) / 2, area.bottom + 38,
           "evaluations (strokes above: failed trials)", {"rt-ink", 12, Anchor::middle});
  svg_text(svg, area.left - 52, (area.top + area.bottom) / 2,
           fmt::format("time per call [{}]", unit_name),
           {"rt-ink", 12, Anchor::middle, false, -90});
  double best = std::numeric_limits<double>::infinity();
  for (const Trial& trial : report.trials)
    if (trial.ok()) best = std::min(best, trial.measurement->seconds.value);
  draw_bound(svg, report, *scale, scale->y(best));
  draw_trials(svg, report, *scale);
  draw_best_so_far(svg, report, *scale);
  svg_line(svg, area.left, area.bottom, area.right, area.bottom, "rt-axis", 1.2);
  svg_line(svg, area.left, area.top, area.left, area.bottom, "rt-axis", 1.2);
  return svg_end(svg);
}

}  // namespace rooftune::report
