// Figures derived from a result, and the result for several inputs together.
#include "study/result.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/model.h"

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

const Trial* find_trial(const StudyResult& report, uint64_t index) {
  return first_with(report.trials, &Trial::index, index);
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

namespace {

InputRow row_of(const StudyResult& report, const std::string& name) {
  InputRow row;
  row.name = name;
  row.problem = report.problem;
  row.bound = report.bound;
  if (report.baseline) row.baseline = report.baseline->seconds;
  if (report.best) row.best = report.best->seconds;
  row.speedup = report.speedup;
  return row;
}

/// The objective's gap, from each input's time; nullopt when a time is missing.
std::optional<Estimate> common_gap(const Objective& objective, const std::vector<InputRow>& rows,
                                   std::optional<Estimate> InputRow::*time) {
  Estimates seconds;
  for (const InputRow& row : rows) {
    if (!(row.*time)) return std::nullopt;
    seconds.push_back(*(row.*time));
  }
  return objective.time(seconds) / objective.bound();
}

CommonChoice common_choice(const StudyRecord& study) {
  CommonChoice common;
  common.space = space_of(study);
  if (const Trial* best = study.history.best()) common.best = best->configuration;
  if (study.race && !study.race->seconds.empty() && !study.race->inputs.empty())
    common.race = study.race;
  const auto staircase = staircase_race(study);
  if (staircase && !staircase->race.inputs.empty()) {
    common.staircase = staircase;
    common.places = climbed(*staircase);
  }
  return common;
}

InputsAnswer answer_of(const StudyRecord& study, const std::vector<StudyResult>& reports,
                       const CommonChoice& common) {
  const StudySetup& setup = *study.setup;
  InputsAnswer answer;
  answer.aim = enumerator<Objective::Aim>("objective", setup.objective);
  Numbers bounds;
  double farthest = 0;
  for (const size_t i : indices(reports)) {
    const StudyResult& report = reports[i];
    answer.rows.push_back(row_of(report, setup.inputs.at(i).name));
    bounds.push_back(report.bound.known() ? report.bound.time.value() : 1);
    const double gap = report.best ? report.best->gap.total.value : 0;
    if (gap > farthest) answer.shown = i;
    farthest = std::max(farthest, gap);
  }
  const Objective objective(answer.aim, bounds);
  answer.gap = common_gap(objective, answer.rows, &InputRow::best);
  answer.baseline_gap = common_gap(objective, answer.rows, &InputRow::baseline);
  if (common.race) answer.speedup = judge(*common.race).speedup;
  if (common.staircase && answer.speedup && answer.speedup->low > 1)
    answer.speedup = paired_ratio(common.staircase->race, 0, common.places.back());
  return answer;
}

}  // namespace

StudyResult analyse(const StudyRecord& study, size_t input) {
  const size_t count = study.require_setup().inputs.size();
  if (input > count)
    throw Error(fmt::format("the study has no input {}", input), "--input",
                fmt::format("it has {}", count));
  if (count == 1) return analyse_one(study, {});
  CommonChoice common = common_choice(study);
  std::vector<StudyResult> results;
  for (common.input = 0; common.input < count; ++common.input)
    results.push_back(analyse_one(on_input(study, common.input), common));
  InputsAnswer answer = answer_of(study, results, common);
  if (input > 0) answer.shown = input - 1;
  StudyResult result = std::move(results[answer.shown]);
  result.inputs = std::move(answer);
  return result;
}

}  // namespace rooftune::study
