#include "report/climb_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/ablation.h"
#include "report/figures.h"
#include "report/sentences.h"

namespace rooftune::inline report {
namespace {

constexpr double label_size = 10.5, label_spacing = 14;

struct Climb {
  double left, top, right, bottom;
  LogScale y;
  Performance speed;
  Configuration baseline;
};

std::string state_class(const LedgerEntry& entry) {
  // Touching and uncertain look alike: neither is decided.
  const bool open = entry.state == LedgerEntry::State::uncertain;
  return std::string("rt-") + (open ? "touching" : to_text(entry.state));
}

/// Trials between one step of the path and the next share a column; their order fills it.
double trial_x(const Climb& climb, const StudyResult& report, const Trial& trial) {
  const std::size_t columns = std::max<std::size_t>(1, report.path.size());
  const double width = (climb.right - climb.left) / static_cast<double>(columns);
  std::size_t column = 0;
  for (std::size_t i = 0; i < report.path.size(); ++i)
    if (report.path[i].trial <= trial.index) column = i;
  const std::uint64_t first = report.path.empty() ? 0 : report.path[column].trial;
  std::uint64_t count = 1, before = 0;
  for (const Trial& other : report.trials) {
    const bool here = other.index >= first &&
                      (column + 1 == columns || other.index < report.path[column + 1].trial);
    count += here;
    before += here && other.index < trial.index;
  }
  return climb.left + width * (static_cast<double>(column) +
                               (static_cast<double>(before) + 0.5) / static_cast<double>(count));
}

std::string trial_hover(const Climb& climb, const Trial& trial) {
  std::string text = fmt::format("trial {}", trial.index);
  if (trial.ok())
    text += fmt::format(
        ": {}, {}", seconds_interval(trial.measurement->seconds),
        rate_text(climb.speed.rate(trial.measurement->seconds.value), climb.speed.unit));
  else
    text += fmt::format(": {}{}{}", to_text(trial.outcome), trial.detail.empty() ? "" : ": ",
                        trial.detail.substr(0, 200));
  return text + '\n' + difference_text(trial.configuration, climb.baseline);
}

void draw_trials(Markup& svg, const Climb& climb, const StudyResult& report) {
  for (const Trial& trial : report.trials) {
    const double x = trial_x(climb, report, trial);
    if (trial.ok())
      svg_marker(svg, Marker::circle, x,
                 climb.y(climb.speed.rate(trial.measurement->seconds.value)), 2.8, "rt-trial",
                 trial_hover(climb, trial), 0.55);
    else
      svg_marker(svg, Marker::cross, x, climb.bottom - 7, 2.6, "rt-failed",
                 trial_hover(climb, trial), 0.8);
  }
}

/// A line that wants a label on the right.
struct Level {
  double y;
  std::string text, line, colour, hover;
  int importance;
};

std::vector<Level> levels(const Climb& climb, const StudyResult& report) {
  std::vector<Level> levels;
  const double bound = report.bound.time.value();
  levels.push_back({climb.y(climb.speed.rate(bound)), "bound " + seconds_text(bound), "rt-binding",
                    "rt-ink", "bound\n" + bound_sentence(report), 0});
  for (const LedgerRow& row : ledger_digest(report).rows) {
    const LedgerEntry& entry = row.entry;
    const double speed = climb.speed.rate(entry.time.value());
    if (is_bound(entry, report.bound) || speed < climb.y.low() || speed > climb.y.high()) continue;
    std::string hover = fmt::format("{} ({})\n{} at {}", full_name(entry), to_text(entry.kind),
                                    to_text(entry.state), seconds_text(entry.time.value()));
    if (!entry.lacks.empty()) hover += "\nlacks " + lacks_text(entry);
    if (!entry.knobs.empty()) hover += "\nbroken by " + broken_by(entry);
    if (!entry.doubt.empty()) hover += "\n" + entry.doubt;
    const std::string more = row.alike ? fmt::format(" (+{})", row.alike) : "";
    levels.push_back({climb.y(speed), short_name(entry) + more, state_class(entry),
                      state_class(entry) + "-text", hover,
                      entry.state == LedgerEntry::State::broken ? 2 : 1});
  }
  // Too many for the margin: the least important go, and can still be pointed at.
  const auto room = static_cast<std::size_t>((climb.bottom - climb.top) / label_spacing);
  if (levels.size() > room) {
    std::stable_sort(levels.begin(), levels.end(),
                     [](const Level& a, const Level& b) { return a.importance < b.importance; });
    for (std::size_t i = room; i < levels.size(); ++i) levels[i].text.clear();
  }
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.y < b.y; });
  return levels;
}

void draw_levels(Markup& svg, const Climb& climb, const StudyResult& report, double limit) {
  std::vector<Level> all = levels(climb, report);
  for (const Level& level : all)
    svg_line(svg, climb.left, level.y, climb.right, level.y, level.line,
             level.importance == 0 ? 2.4 : 1.1, level.importance == 2 ? "7 3" : "", level.hover);
  all.erase(std::remove_if(all.begin(), all.end(), [](const Level& l) { return l.text.empty(); }),
            all.end());
  std::vector<double> wanted;
  for (const Level& level : all) wanted.push_back(level.y);
  const std::vector<double> placed = spread(wanted, label_spacing, climb.top, climb.bottom);
  for (std::size_t i = 0; i < all.size(); ++i) {
    svg_polyline(svg,
                 {{climb.right, all[i].y},
                  {climb.right + 4, all[i].y},
                  {climb.right + 16, placed[i]},
                  {climb.right + 20, placed[i]}},
                 all[i].line, 0.8);
    svg_text(svg, climb.right + 23, placed[i] + 3.7,
             elided(all[i].text, limit - climb.right - 23, label_size),
             {all[i].colour, label_size, Anchor::start, all[i].importance == 0});
  }
}

std::string step_hover(const PathStep& step, std::size_t number) {
  std::string text =
      fmt::format("step {}: trial {}, {}", number, step.trial, seconds_interval(step.step.seconds));
  return text + '\n' + (step.step.changes.empty() ? "baseline" : changes_text(step.step));
}

void draw_path(Markup& svg, const Climb& climb, const StudyResult& report) {
  if (report.path.empty()) return;
  const double width = (climb.right - climb.left) / static_cast<double>(report.path.size());
  const double r = std::clamp(width * 0.32, 3.5, 8.0);
  std::vector<std::pair<double, double>> stairs, corners;
  for (std::size_t i = 0; i < report.path.size(); ++i) {
    const double x = climb.left + width * static_cast<double>(i);
    const double y = climb.y(climb.speed.rate(report.path[i].step.seconds.value));
    stairs.emplace_back(x, y);
    stairs.emplace_back(x + width, y);
    corners.emplace_back(x, y);
  }
  svg_polyline(svg, stairs, "rt-path", 2);
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Estimate& seconds = report.path[i].step.seconds;
    const bool first = i == 0, last = i + 1 == corners.size();
    const std::string base = first ? "rt-base" : last ? "rt-best" : "rt-step";
    // The first disc would straddle the frame.
    const double x = corners[i].first + (first ? r + 1 : 0);
    svg_error_bar(svg, x, climb.y(climb.speed.rate(seconds.high)),
                  climb.y(climb.speed.rate(seconds.low)), "rt-path");
    svg_marker(svg, Marker::circle, x, corners[i].second, r, base, step_hover(report.path[i], i));
    if (r >= 6)
      svg_text(svg, x, corners[i].second + r * 0.42, std::to_string(i),
               {"rt-step-text", r * 1.25, Anchor::middle, true});
  }
}

}  // namespace

ClimbSpan climb_span(const StudyResult& report) {
  const Performance speed = performance(report.roofline.work);
  double low = std::numeric_limits<double>::infinity(), high = 0;
  const auto include = [&](const Estimate& seconds) {
    low = std::min(low, speed.rate(seconds.high));
    high = std::max(high, speed.rate(seconds.low));
  };
  if (report.bound.time.value() > 0)
    include({report.bound.time.value(), report.bound.low.value(), report.bound.high.value()});
  for (const Trial& trial : report.trials)
    if (trial.ok()) include(Estimate::exact(trial.measurement->seconds.value));
  for (const PathStep& step : report.path) include(step.step.seconds);
  if (high == 0) low = high = 1;
  return {low / 1.18, high * 1.12};
}

void draw_climb(Markup& svg, const StudyResult& report, double left, double top, double right,
                double bottom, double limit, double unit) {
  const ClimbSpan span = climb_span(report);
  Climb climb{left,
              top,
              right,
              bottom,
              LogScale(span.low, span.high, bottom, top),
              performance(report.roofline.work),
              {}};
  if (report.baseline) climb.baseline = report.baseline->configuration;
  svg.empty("rect", {{"class", "rt-panel"},
                     {"x", coordinate(left)},
                     {"y", coordinate(top)},
                     {"width", coordinate(right - left)},
                     {"height", coordinate(bottom - top)}})
      .newline();
  svg_y_axis(svg, climb.y, left, right, unit);
  draw_levels(svg, climb, report, limit);
  draw_trials(svg, climb, report);
  draw_path(svg, climb, report);
  svg_line(svg, left, bottom, right, bottom, "rt-axis", 1.2);
  svg_line(svg, left, top, left, bottom, "rt-axis", 1.2);
  const std::size_t last = report.path.empty() ? 0 : report.path.size() - 1;
  svg_text(svg, (left + right) / 2, bottom + 17,
           last == 0 ? "trials in order" : fmt::format("step 0 (baseline) to step {} (best)", last),
           {"rt-soft", 11, Anchor::middle});
}

}  // namespace rooftune::inline report
