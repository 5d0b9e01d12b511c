// The result of one input; analyse_inputs.cpp puts those of several together.
#include <fmt/format.h>

#include <algorithm>

#include "search/pruning.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/result.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// A smaller improvement of an incumbent is noise, and the path leaves it out.
constexpr double least_step = 0.02;

ResultIdentity identity_of(const StudyRecord& study) {
  const StudySetup& setup = *study.setup;
  ResultIdentity identity;
  static_cast<StudyHeader&>(identity) = study.header;
  identity.version = setup.version;
  identity.title = setup.title;
  identity.amortize = setup.amortize;
  identity.compiler = setup.compiler;
  identity.revision = setup.revision;
  std::vector<std::string> words = setup.command;
  if (!words.empty()) words.front() = "tune";
  identity.command = fmt::format("{}", fmt::join(words, " "));
  identity.record_file = study.place.string();
  if (!study.history.trials().empty()) identity.date = study.history.trials().back().started;
  return identity;
}

/// Widens the intervals of trials by the deviation of the race, which ran at another moment.
void widen_trials(StudyResult& report, const StudyRecord& study) {
  std::vector<double> ratios;
  if (study.race && !study.race->seconds.empty() && study.race->inputs.empty()) {
    const Verdict verdict = judge(*study.race);
    for (std::size_t c = 0; c < study.race->configurations.size(); ++c)
      if (const Trial* trial = study.history.find(study.race->configurations[c]);
          trial && trial->ok())
        ratios.push_back(verdict.seconds[c].value / trial->measurement->seconds.value);
  }
  report.between_runs = between_runs(ratios);
  if (!report.between_runs) return;
  for (Trial& trial : report.trials)
    if (trial.ok()) {
      Estimate& seconds = trial.measurement->seconds;
      seconds.low = std::min(seconds.low, seconds.value / *report.between_runs);
      seconds.high = std::max(seconds.high, seconds.value * *report.between_runs);
    }
}

/// The answer is missing only where best and baseline are indistinguishable.
void fill_doubt(StudyResult& report, const Verdict& verdict) {
  if (!verdict.doubt) return;
  report.busy = verdict.disturbed;
  const std::string seen = fmt::format("{:.2f} to {:.2f} times as fast in {} rounds",
                                       verdict.doubt->low, verdict.doubt->high, report.race_rounds);
  report.inconclusive.push_back(
      report.busy
          ? fmt::format("only {} of {} rounds were free of neighbours that took a core away; tune "
                        "again when the machine is quieter, with fewer --threads, or with a longer "
                        "--budget",
                        verdict.clean_pairs, report.race_rounds)
          : fmt::format("best and baseline cannot be told apart: {}; a longer --budget or a "
                        "quieter machine decides",
                        seen));
}

/// Best, ties, baseline and speed-up from the race where one was run, else from the trials alone.
void fill_contenders(StudyResult& report, const StudyRecord& study, const Configuration& baseline,
                     const CommonChoice& common) {
  const Trial* first = study.history.find(baseline);
  const Trial* best = common.best ? study.history.find(*common.best) : study.history.best();
  if (!first)
    report.no_baseline_because = "the study ended before the baseline was tried";
  else if (!first->ok())
    report.no_baseline_because =
        fmt::format("the baseline ended as {}: {}", to_text(first->outcome), first->detail);
  if (first && first->ok())
    report.baseline = contender(report, study, *first, first->measurement->seconds);
  if (best) report.best = contender(report, study, *best, best->measurement->seconds);
  const auto& race = study.race;
  if (!race || race->seconds.empty()) {
    report.no_speedup_because = !best           ? "nothing was measured"
                                : best == first ? "the baseline is the best that was found"
                                : race          ? "the finalists could not be raced: " + race->fault
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
    return contender(report, study, *trial, verdict.seconds[c]);
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
  fill_doubt(report, verdict);
  if (!report.speedup) report.no_speedup_because = "there is no measured baseline";
}

/// A time on kept inputs is no time on new ones.
void fill_memory(StudyResult& report) {
  const Trial* best = report.best ? find_trial(report, report.best->trial) : nullptr;
  if (const std::string text = best ? best->measurement->memory() : ""; !text.empty())
    report.inconclusive.push_back("the best " + text +
                                  ", and its times are those on new data; where the application "
                                  "calls it on the same input each time, kernel.json says "
                                  "\"inputs\": \"kept\"");
}

void fill_broken(StudyResult& report) {
  for (std::size_t i = 1; i < report.path.size() && report.bound.known(); ++i) {
    const PathStep& before = report.path[i - 1];
    PathStep& step = report.path[i];
    step.broken = broken(report, find_trial(report, before.trial)->configuration,
                         own_seconds(report, before), own_seconds(report, step), step.step.changes);
  }
}

/// Baseline, incumbents with an improvement above noise, and winner of the race.
void fill_path(StudyResult& report, const StudyRecord& study) {
  if (!report.baseline || !report.best) return;
  report.path.push_back({{report.baseline->seconds, {}}, report.baseline->trial});
  if (report.best->trial == report.baseline->trial) return;
  const Configuration* before = &report.baseline->configuration;
  double seconds = report.baseline->seconds.value;
  for (const Trial* trial : study.history.incumbents()) {
    const Estimate now = find_trial(report, trial->index)->measurement->seconds;
    // The baseline's own trial may have been faster than the race: it is no step.
    if (trial->index == report.baseline->trial) seconds = std::min(seconds, now.value);
    if (trial->index == report.best->trial || now.value > seconds * (1 - least_step) ||
        now.value < report.best->seconds.value * (1 + least_step))
      continue;
    report.path.push_back(
        {{now, changes(*before, trial->configuration, report.space.knobs)}, trial->index});
    before = &trial->configuration;
    seconds = now.value;
  }
  report.path.push_back(
      {{report.best->seconds, changes(*before, report.best->configuration, report.space.knobs)},
       report.best->trial});
  fill_broken(report);
}

/// The interval of the speed-up covers two moments, the race and the set-backs: kernels with
/// different waits differ in ratio from one state of the machine to the next.
void add_moment(StudyResult& report) {
  auto& gain = report.speedup;
  if (!gain || !report.ablation || report.ablation->baseline_rounds.empty()) return;
  const Estimate later = median_ratio(ratios(report.ablation->baseline_rounds), 0.95);
  gain->low = std::min(gain->low, later.low);
  gain->high = std::max(gain->high, later.high);
}

/// The set-backs of these two, and of no earlier best.
void fill_ablation(StudyResult& report, const StudyRecord& study) {
  const auto& stored = study.ablation;
  if (report.best && report.baseline && stored && stored->best == report.best->configuration &&
      stored->baseline == report.baseline->configuration) {
    report.ablation = stored;
    report.effects = effects(*stored);
    add_moment(report);
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

/// Counted bytes of a contender, by level.
TrafficByLevel moved(const std::optional<Contender>& contender) {
  TrafficByLevel levels;
  if (contender && contender->counts)
    for (const auto& [level, count] : contender->counts->traffic)
      levels[level] = {Bytes(count.read.value), Bytes(count.write.value), Bytes(0)};
  return levels;
}

/// Best and baseline beside the roofs of their race.
std::map<std::string, SideBySide> beside_roofs(const StudyResult& report, const Race& race) {
  std::map<std::string, SideBySide> result;
  if (!race.with_baseline || race.seconds.empty() || !report.best) return result;
  const auto best =
      static_cast<std::size_t>(std::ranges::find(race.configurations, report.best->configuration) -
                               race.configurations.begin());
  if (best == race.configurations.size()) return result;
  for (const RacedRoof& roof : race.roofs)
    if (const Ceiling* ceiling = ceiling_named(report.roofline.machine.ceilings, roof.ceiling))
      result[roof.ceiling] = {seconds_under_roof(race, 0, roof, ceiling->rate.value),
                              seconds_under_roof(race, best, roof, ceiling->rate.value)};
  return result;
}

Attribution attribution(const StudyResult& report, const StudyRecord& study) {
  Attribution result;
  if (study.race) result.beside = beside_roofs(report, *study.race);
  result.baseline_moved = moved(report.baseline);
  result.best_moved = moved(report.best);
  if (report.baseline) result.baseline_has = exploited(report, report.baseline->configuration);
  if (report.best) result.best_has = exploited(report, report.best->configuration);
  if (!report.speedup)
    result.doubt = "baseline and best were not measured side by side";
  else if (report.baseline_stands || report.speedup->low <= 1)
    result.doubt = "the race cannot tell the best from the baseline";
  const auto change = [&](const SetBack& back) {
    std::vector<Paradigm> breaks;
    for (const Knob& knob : report.space.knobs)
      if (knob.name == back.knob) breaks = knob.breaks;
    return Step::Change{back.knob, back.from, back.to, breaks};
  };
  for (const KnobEffect& effect : report.effects.single)
    if (const SetBack& back = report.ablation->knobs[effect.index]; back.together.empty())
      result.set_back.push_back({change(back), times(report.best->seconds, effect.factor)});
  if (report.ablation)
    for (const SetBack& back : report.ablation->knobs)
      if (!back.measured() || !back.together.empty()) result.not_set_back.push_back(change(back));
  return result;
}

void fill_ledger(StudyResult& report, const StudyRecord& study) {
  std::vector<Step> steps;
  for (const PathStep& step : report.path) steps.push_back(step.step);
  if (steps.empty() || !report.bound.known()) return;
  const Attribution known = attribution(report, study);
  report.ledger = report.roofline.ledger(steps, known);
  if (const auto roof = known.beside.find(report.bound.ceiling); roof != known.beside.end()) {
    const Estimate& best = roof->second.best;
    const double bound = report.bound.time.value();
    report.paired_gap = Estimate{best.value / bound, best.low / bound, best.high / bound};
  }
}

/// Other disturbances widen intervals and make lines of the ledger uncertain.
void note_run(StudyResult& report, const StudyRecord& study) {
  if (study.environment && report.busy) report.notes.push_back(study.environment->note);
  if (study.environment && !study.environment->unlocked.empty())
    report.inconclusive.push_back(study.environment->unlocked);
  if (study.stopped && !study.stopped->refuted.empty())
    report.notes.push_back("pruning: " + study.stopped->refuted);
}

void fill_notes(StudyResult& report, const StudyRecord& study) {
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
  for (const InputModel& input : study.setup->inputs)
    if (!input.reference.empty())
      report.notes.push_back((input.name.empty() ? "" : input.name + ": ") + input.reference);
  for (const auto& note : clock_notes(study, report.roofline.machine)) report.notes.push_back(note);
  for (const auto& fault : study.faults) report.notes.push_back("records: " + fault);
  report.notes.insert(report.notes.end(), study.notes.begin(), study.notes.end());
}

}  // namespace

StudyResult analyse_one(const StudyRecord& study, const CommonChoice& common) {
  const StudySetup& setup = study.require_setup();
  StudyResult report;
  report.identity = identity_of(study);
  report.own_figure = setup.own_figure;
  report.goals = setup.goals;
  report.problem = setup.inputs.front().problem;
  report.facts = setup.inputs.front().facts;
  report.roofline = roofline_of(study, 0);
  // The space comes from the machine file, the bound from the ceilings as the run saw them.
  const SearchSpace space = common.space ? *common.space : space_of(study);
  if (study.anchors) {
    report.drifts = drift(setup.machine, *study.anchors);
    report.roofline.machine = as_seen(setup.machine, report.drifts);
  }
  report.target_gap = setup.target_gap;
  report.transfer = setup.transfer;
  if (report.roofline.states_limit()) {
    report.bound = report.roofline.bound();
    report.space_bound = space_bound(space, least_movements_of(study, 0, space), report.roofline);
  }
  report.space = {space.knobs(), space.cartesian_size(), space.magnitude()};
  report.trials = study.history.trials();
  widen_trials(report, study);
  report.cost = study.history.cost();
  report.waited = study.waited;
  report.counted = study.counts_of(0);
  fill_contenders(report, study, space.baseline(), common);
  fill_memory(report);
  fill_flags(report);
  fill_path(report, study);
  fill_ablation(report, study);
  fill_ledger(report, study);
  if (const auto path = published_path_of(study))
    report.staircase = staircase(report, *path, space, study.history, study.published_race);
  fill_untried(report, study, space);
  note_run(report, study);
  fill_notes(report, study);
  report.stop = study.stopped.value_or(Stopped{
      StopReason::interrupted, "the run ended without a word (killed); its records are kept", {}});
  return report;
}

}  // namespace rooftune::study
