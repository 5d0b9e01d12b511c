// Figures derived from a result.
#include "study/result.h"

#include <algorithm>

namespace rooftune::study {

std::map<Outcome, int> counts(const StudyResult& report) {
  std::map<Outcome, int> counts;
  for (const Outcome outcome : enumerators<Outcome>()) counts[outcome] = 0;
  for (const Trial& trial : report.trials) ++counts[trial.outcome];
  return counts;
}

double least_bytes(const StudyResult& report, const std::string& level) {
  if (!report.roofline.machine.level(level)) return 0;
  return report.roofline.least_traffic(level).total().value();
}

const Trial* find_trial(const StudyResult& report, std::uint64_t index) {
  const auto found = std::find_if(report.trials.begin(), report.trials.end(),
                                  [&](const Trial& trial) { return trial.index == index; });
  return found == report.trials.end() ? nullptr : &*found;
}

Estimate own_seconds(const StudyResult& report, const PathStep& step) {
  const Trial* const trial = find_trial(report, step.trial);
  return trial && trial->ok() ? trial->measurement->seconds : step.step.seconds;
}

Performance performance(const Work& work) {
  if (work.nominal.value() > 0) return {work.nominal.value(), "flop"};
  if (work.items > 0) return {work.items, work.item.empty() ? "item" : work.item};
  return {};
}

std::string charted_level(const StudyResult& report) {
  const Machine& machine = report.roofline.machine;
  const Ceiling* const binding = ceiling_named(machine.ceilings, report.bound.ceiling);
  if (binding && !binding->level.empty()) return binding->level;
  // The binding rate may be interpolated between two ceilings, so its part names the level as well.
  for (const CeilingTime& part : report.bound.parts)
    if (part.ceiling == report.bound.ceiling && machine.level(part.level)) return part.level;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend(); ++level)
    if (least_bytes(report, level->name) > 0) return level->name;
  return {};
}

}  // namespace rooftune::study
