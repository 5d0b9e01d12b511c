#include "report/trials_csv.h"

#include <fmt/format.h>

#include "core/list.h"

namespace rooftune::report {
namespace {

std::string quoted(const std::string& cell) {
  if (!has_any_of(cell, ",\"\r\n")) return cell;
  std::string text;
  for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
  return '"' + text + '"';
}

}  // namespace

std::string trials_csv(const StudyResult& result) {
  std::string text = "trial,outcome,seconds,low,high,build,validate,time,total,detail";
  for (const Knob& knob : result.space.knobs) text += ',' + quoted(knob.name);
  for (const Trial& trial : result.trials) {
    const Cost& cost = trial.cost;
    std::string times = ",,";
    if (trial.measurement) {
      const auto& [seconds, low, high] = trial.measurement->seconds;
      times = fmt::format("{},{},{}", seconds, low, high);
    }
    text += fmt::format("\n{},{},{},{},{},{},{},{}", trial.index, to_text(trial.outcome), times,
                        cost.build, cost.validate, cost.time, cost.total, quoted(trial.detail));
    for (const Knob& knob : result.space.knobs)
      text += ',' + quoted(to_text(trial.configuration.at(knob.name)));
  }
  return text + '\n';
}

}  // namespace rooftune::report
