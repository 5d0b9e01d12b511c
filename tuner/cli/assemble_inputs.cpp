#include "cli/assemble_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/assemble.h"
#include "cli/machines.h"
#include "space/common_space.h"

namespace rooftune {
namespace {

/// A trial as one input saw it.
Trial on_input(Trial trial, std::size_t input) {
  if (!trial.measurement || trial.measurement->inputs.size() <= input) return trial;
  Measurement here = trial.measurement->inputs[input];
  if (here.samples.empty()) {
    trial.measurement.reset();
    if (trial.outcome == Outcome::ok) trial.outcome = Outcome::pruned;
  } else {
    trial.measurement = std::move(here);
  }
  return trial;
}

/// The study as if it had been one of this input alone; races keep their configurations.
StoredStudy on_input(const StoredStudy& study, std::size_t input) {
  StoredStudy result;
  result.header = study.header;
  result.latest = study.latest;
  result.faults = study.faults;
  result.surroundings = study.surroundings;
  Json& setup = result.latest.at("setup");
  const Json& own = study.latest.at("setup").at("inputs").at(input);
  setup["facts"] = own.at("facts");
  result.header.problem = own.at("problem");
  for (const Trial& trial : study.history.trials()) result.history.append(on_input(trial, input));
  if (const auto race = stored_race(study); race && race->inputs.size() > input)
    result.latest["race"] = to_json(on_input(*race, input));
  if (const auto ablation = stored_finish(study).ablation;
      ablation && ablation->inputs.size() > input)
    result.latest["ablation"] = to_json(ablation->inputs[input]);
  else
    result.latest.erase("ablation");
  const std::size_t inputs = setup.at("inputs").size();
  for (const char* const event : {"counts", "experiments"})
    if (const auto own_event = study.latest.find(event_of(event, inputs, input));
        own_event != study.latest.end())
      result.latest[event] = own_event->second;
  return result;
}

InputRow row_of(const StudyReport& report, const std::string& name) {
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

void fill_gains(InputsAnswer& answer, const Objective& objective, const StoredStudy& study,
                const std::optional<Contender>& best) {
  const auto choice = stored_choice(study);
  const bool stands = choice && best && choice->common == best->configuration &&
                      choice->inputs.size() == answer.rows.size();
  if (!stands) {
    for (InputRow& row : answer.rows) row.no_gain_because = "the inputs' own bests were not raced";
    return;
  }
  const SpecialisationGains measured = gains(*choice, objective);
  answer.gain = measured.all;
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const SpecialisedInput& own = choice->inputs[i];
    answer.rows[i].own = own.race.configurations[own.winner()];
    answer.rows[i].gain = measured.inputs[i];
    if (!measured.inputs[i]) answer.rows[i].no_gain_because = "the race failed: " + own.race.fault;
  }
}

SearchSpace space_of_all(const StoredStudy& study) {
  const Json& setup = study.latest.at("setup");
  const Machine machine =
      machine_from_json(setup.at("machine"), "machine of study " + study.header.id);
  std::vector<SearchSpace> spaces;
  std::vector<Facts> facts;
  for (const Json& input : setup.at("inputs")) {
    Facts known = machine_facts(machine, study.header.threads);
    for (const auto& [name, value] : input.at("facts").items())
      known[name] = value_from_json(value);
    spaces.push_back(read_space(setup.at("space_file").get<std::string>(), known));
    facts.push_back(std::move(known));
  }
  return common_space(spaces, facts);
}

CommonChoice common_choice(const StoredStudy& study) {
  CommonChoice common;
  common.space = space_of_all(study);
  if (const Trial* best = study.history.best()) common.best = best->configuration;
  if (auto race = stored_race(study); race && !race->seconds.empty() && !race->inputs.empty())
    common.race = std::move(race);
  return common;
}

InputsAnswer answer_of(const StoredStudy& study, const std::vector<StudyReport>& reports,
                       const CommonChoice& common) {
  const Json& setup = study.latest.at("setup");
  InputsAnswer answer;
  answer.aim = aim(setup.at("objective").get<std::string>());
  std::vector<double> bounds;
  double farthest = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const StudyReport& report = reports[i];
    answer.rows.push_back(row_of(report, setup.at("inputs").at(i).at("name").get<std::string>()));
    bounds.push_back(report.bound.time.value());
    const double gap = report.best ? report.best->gap.total.value : 0;
    if (gap > farthest) answer.shown = i;
    farthest = std::max(farthest, gap);
  }
  const Objective objective(answer.aim, bounds);
  answer.gap = common_gap(objective, answer.rows, &InputRow::best);
  answer.baseline_gap = common_gap(objective, answer.rows, &InputRow::baseline);
  if (common.race) answer.speedup = judge(*common.race).speedup;
  fill_gains(answer, objective, study, reports.front().best);
  return answer;
}

}  // namespace

std::string event_of(const std::string& event, std::size_t inputs, std::size_t input) {
  return inputs < 2 ? event : fmt::format("{} of input {}", event, input + 1);
}

std::optional<Specialisation> stored_choice(const StoredStudy& study) {
  const auto found = study.latest.find(choice_event);
  if (found == study.latest.end()) return std::nullopt;
  return specialisation_from_json(found->second, "choice of study " + study.header.id);
}

StudyReport assemble(const StoredStudy& study, const std::string& record_file, std::size_t input) {
  const auto setup = study.latest.find("setup");
  const bool several = setup != study.latest.end() && setup->second.contains("inputs");
  const std::size_t count = several ? setup->second.at("inputs").size() : 1;
  if (input > count)
    throw Error(fmt::format("the study has no input {}", input), "--input",
                fmt::format("it has {}", count));
  if (!several) return assemble_one(study, record_file, {});
  CommonChoice common = common_choice(study);
  std::vector<StudyReport> reports;
  for (common.input = 0; common.input < count; ++common.input)
    reports.push_back(assemble_one(on_input(study, common.input), record_file, common));
  InputsAnswer answer = answer_of(study, reports, common);
  if (input > 0) answer.shown = input - 1;
  StudyReport report = std::move(reports[answer.shown]);
  report.inputs = std::move(answer);
  return report;
}

}  // namespace rooftune
