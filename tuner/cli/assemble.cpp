#include "cli/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/anchors.h"
#include "cli/assemble_inputs.h"
#include "cli/contenders.h"
#include "cli/experiments.h"
#include "cli/machines.h"
#include "cli/published.h"
#include "cli/surroundings.h"
#include "kernel/kernel.h"

namespace rooftune {
namespace {

/// An incumbent that improves less than this is left out of the path: it would be noise with a
/// story.
constexpr double least_step = 0.02;

std::optional<Race> race_named(const char* name, const StoredStudy& study) {
  const auto race = study.latest.find(name);
  if (race == study.latest.end()) return std::nullopt;
  return race_from_json(race->second, fmt::format("{} of study {}", name, study.header.id));
}

const Json& setup_of(const StoredStudy& study) {
  const auto setup = study.latest.find("setup");
  if (setup == study.latest.end())
    throw Error("the records of study " + study.header.id + " hold no setup", study.header.kernel,
                "the run was killed before it measured anything; run the same tune command again");
  return setup->second;
}

void fill_identity(StudyReport& report, const StoredStudy& study, const Json& setup,
                   const std::string& record_file) {
  StudyIdentity& identity = report.identity;
  identity.version = setup.value("version", "");
  identity.id = study.header.id;
  identity.kernel = study.header.kernel;
  identity.backend = study.header.backend;
  identity.strategy = study.header.strategy;
  identity.seed = study.header.seed;
  identity.cache_state = study.header.cache_state;
  identity.amortize = setup.value("amortize", 0.0);
  identity.compiler = setup.value("compiler", "");
  std::vector<std::string> words = setup.value("command", std::vector<std::string>{});
  if (!words.empty()) words.front() = "tune";
  identity.command = fmt::format("{}", fmt::join(words, " "));
  identity.record_file = record_file;
  if (!study.history.trials().empty()) identity.date = study.history.trials().back().started;
}

void fill_problem(StudyReport& report, const Kernel& kernel, const Json& setup) {
  for (const auto& [name, value] : setup.at("facts").items()) {
    const bool chosen = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                    [&, key = name](const Parameter& p) { return p.name == key; });
    (chosen ? report.problem : report.facts)[name] = value_from_json(value);
  }
}

Facts all_facts(const StudyReport& report) {
  Facts facts = report.problem;
  facts.insert(report.facts.begin(), report.facts.end());
  return facts;
}

/// Best, ties, baseline and speed-up from the race where one was run, else from the trials alone.
void fill_contenders(StudyReport& report, const StoredStudy& study, const Configuration& baseline,
                     const CommonChoice& common) {
  const Trial* first = study.history.find(baseline);
  const Trial* best = common.best ? study.history.find(*common.best) : study.history.best();
  if (!first)
    report.no_baseline_because = "the study ended before the baseline was tried";
  else if (!first->ok())
    report.no_baseline_because =
        fmt::format("the baseline ended as {}: {}", to_text(first->outcome), first->detail);
  if (first && first->ok())
    report.baseline = contender(report, *first, first->measurement->seconds);
  if (best) report.best = contender(report, *best, best->measurement->seconds);
  const auto race = stored_race(study);
  if (!race || race->seconds.empty()) {
    report.no_speedup_because = !best           ? "nothing was measured"
                                : best == first ? "the baseline is the best that was found"
                                                : "the finalists were not raced";
    return;
  }
  if (!race->fault.empty()) report.notes.push_back("race of the finalists: " + race->fault);
  const Verdict verdict =
      common.race ? judge_on_input(*common.race, common.input, judge(*common.race)) : judge(*race);
  report.race_rounds = static_cast<int>(race->seconds.size());
  const auto raced = [&](std::size_t c) -> std::optional<Contender> {
    const Trial* trial = study.history.find(race->configurations[c]);
    if (!trial) return std::nullopt;
    return contender(report, *trial, verdict.seconds[c]);
  };
  report.best = raced(verdict.winner);
  if (race->with_baseline) report.baseline = raced(0);
  for (const std::size_t tie : verdict.ties)
    if (auto also = raced(tie)) report.ties.push_back(*also);
  for (const Challenger& challenger : race->challengers)
    report.promotions.push_back(
        {challenger, challenger.configuration == race->configurations[verdict.winner]});
  report.speedup = verdict.speedup;
  report.baseline_stands = verdict.baseline_stands;
  if (!report.speedup) report.no_speedup_because = "there is no measured baseline";
}

Step step(const Configuration& from, const Configuration& to, const Estimate& seconds,
          const std::vector<Knob>& knobs) {
  Step result;
  result.seconds = seconds;
  for (const Knob& knob : knobs) {
    if (!from.has(knob.name) || !to.has(knob.name)) continue;
    const Value &before = from.at(knob.name), &after = to.at(knob.name);
    if (before == after) continue;
    result.changes.push_back({knob.name, to_text(before), to_text(after), knob.breaks});
  }
  return result;
}

/// Baseline, the incumbents that improved on it by more than noise, and the winner of the race.
void fill_path(StudyReport& report, const StoredStudy& study) {
  if (!report.baseline || !report.best) return;
  report.path.push_back({{report.baseline->seconds, {}}, report.baseline->trial});
  if (report.best->trial == report.baseline->trial) return;
  const Configuration* before = &report.baseline->configuration;
  double seconds = report.baseline->seconds.value;
  for (const Trial* trial : study.history.incumbents()) {
    const Estimate& now = trial->measurement->seconds;
    if (trial->index == report.best->trial || now.value > seconds * (1 - least_step) ||
        now.value < report.best->seconds.value * (1 + least_step))
      continue;
    report.path.push_back(
        {step(*before, trial->configuration, now, report.space.knobs), trial->index});
    before = &trial->configuration;
    seconds = now.value;
  }
  report.path.push_back(
      {step(*before, report.best->configuration, report.best->seconds, report.space.knobs),
       report.best->trial});
}

/// The set-backs of these two, and of no earlier best.
void fill_ablation(StudyReport& report, const StoredStudy& study) {
  const auto stored = stored_finish(study).ablation;
  if (report.best && report.baseline && stored && stored->best == report.best->configuration &&
      stored->baseline == report.baseline->configuration) {
    report.ablation = stored;
    report.effects = effects(*stored);
    if (!stored->fault.empty()) report.notes.push_back("setting knobs back: " + stored->fault);
    return;
  }
  report.no_ablation_because = !report.speedup          ? "baseline and best were not raced"
                               : report.baseline_stands ? "nothing beats the baseline"
                               : stored ? "the knobs of an earlier best were set back"
                                        : "no knob was set back";
}

Estimate times(const Estimate& a, const Estimate& b) {
  return {a.value * b.value, a.low * b.low, a.high * b.high};
}

Attribution attribution(const StudyReport& report) {
  Attribution result;
  if (!report.speedup)
    result.doubt = "baseline and best were not measured side by side";
  else if (report.baseline_stands || report.speedup->low <= 1)
    result.doubt = "the race cannot tell the best from the baseline";
  for (const KnobEffect& effect : report.effects.single) {
    const SetBack& back = report.ablation->knobs[effect.index];
    std::vector<std::string> breaks;
    for (const Knob& knob : report.space.knobs)
      if (knob.name == back.knob) breaks = knob.breaks;
    result.set_back.push_back({{back.knob, to_text(back.from), to_text(back.to), breaks},
                               times(report.best->seconds, effect.factor),
                               effect.factor});
  }
  return result;
}

void fill_ledger(StudyReport& report) {
  std::vector<Step> steps;
  for (const PathStep& step : report.path) steps.push_back(step.step);
  if (!steps.empty()) report.ledger = report.roofline.ledger(steps, attribution(report));
}

/// Share of the samples of the best, its ties and the baseline that were disturbed.
double disturbed_share(const StudyReport& report) {
  double all = 0, disturbed = 0;
  const auto count = [&](const Contender& contender) {
    const Trial* trial = find_trial(report, contender.trial);
    if (!trial || !trial->measurement) return;
    for (const Sample& sample : trial->measurement->samples) {
      ++all;
      disturbed += sample.clean() ? 0 : 1;
    }
  };
  if (report.best) count(*report.best);
  if (report.baseline) count(*report.baseline);
  for (const Contender& tie : report.ties) count(tie);
  return all > 0 ? disturbed / all : 0;
}

/// A busy machine is said to be one before anything is concluded from its figures.
void fill_inconclusive(StudyReport& report, const StoredStudy& study) {
  constexpr double busy_share = 0.5;
  for (const Drift& drift : report.drifts) {
    if (drift.verdict == Drift::Verdict::changed)
      report.inconclusive.push_back("the machine changed during the run (" + drift.sentence + ")");
    if (drift.verdict == Drift::Verdict::unknown)
      report.inconclusive.push_back("an anchor was not reproduced (" + drift.sentence + ")");
    if (drift.verdict == Drift::Verdict::rescaled)
      report.notes.push_back(
          fmt::format("ceilings rescaled by {:.3f}: {}", drift.factor, drift.sentence));
  }
  const double disturbed = disturbed_share(report);
  const bool undecided = !report.ties.empty() || report.baseline_stands;
  if (undecided && disturbed > busy_share)
    report.inconclusive.push_back(
        fmt::format("{:.0f} % of the samples of the finalists were disturbed and they cannot be "
                    "told apart",
                    100 * disturbed));
  const auto environment = study.latest.find("environment");
  if (environment != study.latest.end() && (disturbed > busy_share || !report.inconclusive.empty()))
    report.notes.push_back(environment->second.value("note", ""));
  const auto stopped = study.latest.find("stopped");
  if (stopped != study.latest.end() && !stopped->second.value("refuted", "").empty())
    report.notes.push_back("pruning: " + stopped->second.value("refuted", ""));
}

void fill_notes(StudyReport& report, const StoredStudy& study) {
  if (report.best && report.best->gap.above_roof)
    report.notes.insert(
        report.notes.begin(),
        "the best time is ABOVE THE ROOF: a ceiling, the work model or the validation is "
        "wrong (tune probe --full measures the ceilings again)");
  if (report.best && report.best->configuration.values().size()) {
    const Trial* best = study.history.find(report.best->configuration);
    if (best && best->measurement && best->measurement->disturbed)
      report.notes.push_back(
          "the machine was busy: too few undisturbed samples, intervals are wide");
  }
  for (const auto& note : clock_notes(study, report.roofline.machine)) report.notes.push_back(note);
  for (const auto& fault : study.faults) report.notes.push_back("records: " + fault);
}

/// False when the search went on afterwards: it is about other trials than the study has now.
bool stands(const char* event, const StoredStudy& study) {
  const auto before = study.trials_before.find(event);
  return before == study.trials_before.end() || before->second == study.history.proposed().size();
}

}  // namespace

std::optional<Race> stored_race(const StoredStudy& study) {
  return stands("race", study) ? race_named("race", study) : std::nullopt;
}

std::vector<CountedRun> stored_counts(const StoredStudy& study, const std::string& event) {
  const auto counts = study.latest.find(event);
  if (counts == study.latest.end()) return {};
  return counted_runs_from_json(counts->second, event + " of study " + study.header.id);
}

Finish stored_finish(const StoredStudy& study) {
  Finish finish;
  finish.race = stored_race(study);
  if (const auto found = study.latest.find("ablation");
      found != study.latest.end() && stands("ablation", study))
    finish.ablation = ablation_from_json(found->second, "ablation of study " + study.header.id);
  return finish;
}

StudyReport assemble_one(const StoredStudy& study, const std::string& record_file,
                         const CommonChoice& common) {
  const Json& setup = setup_of(study);
  StudyReport report;
  Kernel kernel = read_kernel(setup.at("kernel_folder").get<std::string>());
  kernel.warm = study.header.cache_state == "warm";
  fill_identity(report, study, setup, record_file);
  report.identity.title = kernel.title;
  fill_problem(report, kernel, setup);
  report.roofline.machine =
      machine_from_json(setup.at("machine"), "machine of study " + study.header.id);
  if (const auto anchors = study.latest.find("anchors"); anchors != study.latest.end()) {
    report.drifts = drift(report.roofline.machine,
                          anchors_from_json(anchors->second, "anchors of " + study.header.id));
    report.roofline.machine = rescaled(report.roofline.machine, report.drifts);
  }
  report.target_gap = setup.value("target_gap", 1.05);
  if (setup.contains("transfer"))
    report.transfer =
        transfer_from_json(setup.at("transfer"), "transfer of study " + study.header.id);
  report.roofline.threads = study.header.threads;
  report.roofline.work = work(kernel, all_facts(report));
  report.roofline.traffic = traffic(kernel, all_facts(report));
  report.bound = report.roofline.bound();

  Facts known = all_facts(report);
  known.merge(machine_facts(report.roofline.machine, study.header.threads));
  const SearchSpace space =
      common.space ? *common.space : read_space(setup.at("space_file").get<std::string>(), known);
  report.space = {space.knobs(), space.cartesian_size(), space.extent()};
  report.trials = study.history.trials();
  report.cost = study.history.cost();
  report.counted = stored_counts(study);
  fill_contenders(report, study, space.baseline(), common);
  fill_sample(report, study.history);
  fill_flags(report);
  fill_path(report, study);
  fill_ablation(report, study);
  fill_ledger(report);
  fill_walls(report, study);
  if (setup.value("path", "") == "published")
    report.staircase = staircase(report, required_path(kernel, report.identity.backend), space,
                                 study.history, race_named("path race", study));
  fill_inconclusive(report, study);
  fill_notes(report, study);
  const auto stopped = study.latest.find("stopped");
  report.stop =
      stopped == study.latest.end()
          ? Stop{"interrupted", "the run ended without a word (killed); its records are kept"}
          : Stop{stopped->second.value("reason", ""), stopped->second.value("sentence", "")};
  return report;
}

}  // namespace rooftune
