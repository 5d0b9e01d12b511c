// Parts of a result shared by several inputs.
#include <fmt/format.h>

#include <algorithm>

#include "study/analyse.h"
#include "study/findings.h"
#include "study/model.h"

namespace rooftune::study {
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

/// The objective's gap of one time per input; nullopt when one is missing.
std::optional<Estimate> common_gap(const Objective& objective, const std::vector<InputRow>& rows,
                                   std::optional<Estimate> InputRow::*time) {
  std::vector<Estimate> seconds;
  for (const InputRow& row : rows) {
    if (!(row.*time)) return std::nullopt;
    seconds.push_back(*(row.*time));
  }
  const Estimate all = objective.time(seconds);
  const double bound = objective.bound();
  return Estimate{all.value / bound, all.low / bound, all.high / bound};
}

CommonChoice common_choice(const StudyRecord& study) {
  CommonChoice common;
  common.space = space_of(study);
  if (const Trial* best = study.history.best()) common.best = best->configuration;
  if (study.race && !study.race->seconds.empty() && !study.race->inputs.empty())
    common.race = study.race;
  return common;
}

InputsAnswer answer_of(const StudyRecord& study, const std::vector<StudyResult>& reports,
                       const CommonChoice& common) {
  const StudySetup& setup = *study.setup;
  InputsAnswer answer;
  answer.aim = enumerator<Objective::Aim>("objective", setup.objective);
  std::vector<double> bounds;
  double farthest = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const StudyResult& report = reports[i];
    answer.rows.push_back(row_of(report, setup.inputs.at(i).name));
    bounds.push_back(report.bound.time.value());
    const double gap = report.best ? report.best->gap.total.value : 0;
    if (gap > farthest) answer.shown = i;
    farthest = std::max(farthest, gap);
  }
  const Objective objective(answer.aim, bounds);
  answer.gap = common_gap(objective, answer.rows, &InputRow::best);
  answer.baseline_gap = common_gap(objective, answer.rows, &InputRow::baseline);
  if (common.race) answer.speedup = judge(*common.race).speedup;
  return answer;
}

}  // namespace

StudyResult analyse(const StudyRecord& study, std::size_t input) {
  const std::size_t count = study.require_setup().inputs.size();
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
