#include "store/study_record.h"

#include <algorithm>

#include "core/error.h"

namespace rooftune::store {
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

/// One overload per event, with its changes.
struct Apply {
  StudyRecord& study;

  /// A run begins; its setup is on record already unless it differs from the last one's.
  void operator()(StudyHeader header) {
    study.header = std::move(header);
    study.environment.reset();
    study.stopped.reset();
  }
  void operator()(StudySetup setup) { study.setup = std::move(setup); }
  void operator()(Proposed together) { study.proposed = std::move(together.configurations); }
  void operator()(Started started) { study.started.push_back(std::move(started)); }
  void operator()(const GivenUp& given_up) {
    const auto last =
        std::find_if(study.started.rbegin(), study.started.rend(), [&](const auto& s) {
          return s.index == given_up.index && s.configuration == given_up.configuration;
        });
    if (last != study.started.rend()) study.started.erase(std::next(last).base());
  }
  void operator()(Trial trial) {
    std::erase_if(study.started,
                  [&](const Started& s) { return s.configuration == trial.configuration; });
    if (trial.promoted_because.empty()) {
      study.race.reset();
      study.ablation.reset();
    }
    study.history.append(std::move(trial));
  }
  void operator()(const Refuted& refuted) {
    study.history.refute(refuted.configuration, refuted.detail);
    ++study.refuted;
    const auto& raced = study.race ? study.race->configurations : std::vector<Configuration>{};
    if (std::find(raced.begin(), raced.end(), refuted.configuration) == raced.end()) return;
    study.race.reset();
    study.ablation.reset();
  }
  void operator()(TrialEnvironment one) {
    study.trial_environments[one.trial] = std::move(one.environment);
  }
  void operator()(Environment environment) { study.environment = std::move(environment); }
  void operator()(AnchorReadings anchors) { study.anchors = std::move(anchors); }
  void operator()(Race race) { study.race = std::move(race); }
  void operator()(Ablation ablation) { study.ablation = std::move(ablation); }
  void operator()(InputCounts counts) { study.counts[counts.input] = std::move(counts.runs); }
  void operator()(InputExperiments experiments) {
    const std::size_t input = experiments.input;
    study.experiments[input] = std::move(experiments);
  }
  void operator()(PublishedRace published) { study.published_race = std::move(published.race); }
  void operator()(Stopped stopped) { study.stopped = std::move(stopped); }
  void operator()(const Waited& run) { study.waited += run.seconds; }
};

}  // namespace

Json recorded_machine(Machine machine) {
  for (Ceiling& ceiling : machine.ceilings) ceiling.samples.clear();
  machine.slurm.reset();
  return to_json(machine);
}

Facts InputModel::known() const {
  Facts all = problem;
  all.insert(facts.begin(), facts.end());
  return all;
}

void StudyRecord::apply(Event event) { std::visit(Apply{*this}, std::move(event)); }

std::vector<Configuration> StudyRecord::unfinished() const {
  std::vector<Configuration> result;
  for (const Started& one : started)
    if (!history.tried(one.configuration)) result.push_back(one.configuration);
  return result;
}

void StudyRecord::require_readable() const {
  if (newer.empty()) return;
  throw Error("a newer version of Rooftune wrote records of this study, which this one cannot read",
              newer,
              "read it with that version; to tune here anyway, choose another directory with "
              "--results DIR, or begin anew with --fresh");
}

const StudySetup& StudyRecord::require_setup() const {
  require_readable();
  if (setup) return *setup;
  throw Error("the records of study " + header.id + " hold no setup", header.kernel,
              "the run was killed before it measured anything; run the same tune command again");
}

std::vector<CountedRun> StudyRecord::counts_of(std::size_t input) const {
  const auto found = counts.find(input);
  return found == counts.end() ? std::vector<CountedRun>{} : found->second;
}

std::vector<Experiment> StudyRecord::experiments_of(std::size_t input) const {
  const auto found = experiments.find(input);
  return found == experiments.end() ? std::vector<Experiment>{} : found->second.experiments;
}

StudyRecord on_input(const StudyRecord& study, std::size_t input) {
  StudyRecord result = study;
  const InputModel own = study.require_setup().inputs.at(input);
  result.setup->inputs = {own};
  result.header.problem = study.header.problem.at(input);
  result.history = History();
  for (const Trial& trial : study.history.trials()) result.history.append(on_input(trial, input));
  if (study.race && study.race->inputs.size() > input) result.race = on_input(*study.race, input);
  result.ablation.reset();
  if (study.ablation && study.ablation->inputs.size() > input)
    result.ablation = study.ablation->inputs[input];
  result.counts = {{0, study.counts_of(input)}};
  result.experiments.clear();
  if (const auto found = study.experiments.find(input); found != study.experiments.end())
    result.experiments[0] = found->second;
  return result;
}

}  // namespace rooftune::store
