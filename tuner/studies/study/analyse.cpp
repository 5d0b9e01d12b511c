// The result for a single input.
#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "roofline/contradiction.h"
#include "search/pruning.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/model.h"
#include "study/readings.h"
#include "study/result.h"
#include "study/staircase.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// A machine on which nothing was measured twice may have drifted by this factor.
constexpr double unknown_drift = 1.25;

/// Makes the result, part by part.
struct Analysis {
  const StudyRecord& study;
  const CommonChoice& common;
  StudyResult report = {};

  /// Widens trials' intervals by how far the race, which ran at another moment, deviates from them.
  void widen_trials() {
    Numbers ratios;
    if (study.race && !study.race->seconds.empty() && study.race->inputs.empty()) {
      const Verdict verdict = judge(*study.race);
      for (const size_t c : indices(study.race->configurations))
        if (const Trial* trial = study.history.find(study.race->configurations[c]);
            trial && trial->ok())
          ratios.push_back(verdict.seconds[c].value / trial->seconds());
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

  /// An answer is missing only where best and baseline cannot be told apart.
  void fill_doubt(const Verdict& verdict) {
    if (!verdict.doubt) return;
    report.busy = verdict.disturbed;
    // Beyond these a ratio tells nothing.
    const bool open = verdict.doubt->low < 0.01 || verdict.doubt->high > 100;
    const std::string seen =
        open ? fmt::format("neighbours disturbed {} rounds", report.race_rounds)
             : fmt::format("{:.2f} to {:.2f} times as fast in {} rounds", verdict.doubt->low,
                           verdict.doubt->high, report.race_rounds);
    report.inconclusive.push_back(
        report.busy
            ? fmt::format(
                  "only {} of {} rounds were free of neighbours that took a core away; tune "
                  "again when the machine is quieter, with fewer --threads, or with a longer "
                  "--budget",
                  verdict.clean_pairs, report.race_rounds)
            : fmt::format("best and baseline cannot be told apart: {}; a longer --budget or a "
                          "quieter machine decides",
                          seen));
  }

  /// Takes best, ties, baseline and speed-up from the race if there was one, else from the trials.
  void fill_contenders(const Configuration& baseline) {
    const Trial* first = study.history.find(baseline);
    const Trial* best = common.best ? study.history.find(*common.best) : study.history.best();
    if (!first)
      report.no_baseline_because = "the study ended before the baseline was tried";
    else if (!first->ok())
      report.no_baseline_because =
          fmt::format("the baseline ended as {}: {}", to_text(first->outcome), first->detail);
    if (first && first->ok()) report.baseline = timed(*first, first->measurement->seconds);
    if (best) report.best = timed(*best, best->measurement->seconds);
    const auto& race = study.race;
    if (!race || race->seconds.empty()) {
      report.no_speedup_because = !best           ? "nothing was measured"
                                  : best == first ? "the baseline is the best that was found"
                                  : race ? "the finalists could not be raced: " + race->fault
                                         : "the finalists were not raced";
      return;
    }
    if (!race->fault.empty()) report.notes.push_back("race of the finalists: " + race->fault);
    const Verdict verdict = common.race
                                ? judge_on_input(*common.race, common.input, judge(*common.race))
                                : judge(*race);
    report.race_rounds = int(race->seconds.size());
    report.best = entrant(*race, verdict, verdict.winner);
    if (race->with_baseline) report.baseline = entrant(*race, verdict, 0);
    for (const size_t tie : verdict.ties)
      if (auto also = entrant(*race, verdict, tie)) report.ties.push_back(*also);
    report.speedup = verdict.speedup;
    report.baseline_stands = verdict.baseline_stands;
    fill_doubt(verdict);
    if (!report.speedup) report.no_speedup_because = "there is no measured baseline";
  }

  /// A time on kept inputs does not tell the time on new ones.
  void fill_memory() {
    const Trial* best = report.best ? find_trial(report, report.best->trial) : nullptr;
    if (const std::string text = best ? best->measurement->memory() : ""; !text.empty())
      report.inconclusive.push_back("the best " + text +
                                    ", and its times are those on new data; where the application "
                                    "calls it on the same input each time, kernel.json says "
                                    "\"inputs\": \"kept\"");
  }

  /// By which factor memory and cores drifted during the study, as their anchors tell: a ratio
  /// between two trials may be off by as much.
  double moved() const {
    double most = report.between_runs.value_or(unknown_drift);
    for (const Drift& drift : report.drifts)
      if (drift.low > 0) most = std::max(most, drift.high / drift.low);
    return most;
  }

  /// A race that was cut short or disturbed does not take back what trials have proven: baseline
  /// and best so far apart that the machine's drift cannot explain it. Where no race ran, the
  /// trials decide, whatever they show.
  void take_trials() {
    const Trial* first =
        study.history.find(report.baseline ? report.baseline->configuration : Configuration());
    const Trial* best = study.history.best();
    if (!first || !first->ok() || !best || best == first) return;
    if (report.speedup && report.inconclusive.empty()) return;
    const Estimate ratio = first->measurement->seconds / best->measurement->seconds;
    const double drift = moved();
    const Estimate seen{ratio.value, ratio.low / drift, ratio.high * drift};
    constexpr double certain = 1.1;
    const bool proven = seen.low >= certain;
    if (!proven && report.no_speedup_because.empty()) return;
    report.speedup = seen;
    report.best = timed(*best, best->measurement->seconds);
    report.baseline = timed(*first, first->measurement->seconds);
    report.baseline_stands = report.busy = false;
    report.inconclusive = proven ? Texts{} : Texts{report.no_speedup_because};
    report.no_speedup_because.clear();
    report.ties.clear();
    report.notes.push_back(
        fmt::format("the speed-up is of single trials at different moments, for which the machine "
                    "may have moved by {:.2f}x",
                    drift));
  }

  /// Takes best, baseline and speed-up from the staircase's race, which is about them alone.
  void take_staircase() {
    auto race = common.race ? common.staircase : staircase_race(study);
    if (race && common.race) race->race = on_input(race->race, common.input);
    if (!race) {
      report.no_staircase_because = report.baseline_stands ? "nothing beats the baseline"
                                                           : "baseline and best were not raced";
      return;
    }
    const auto places = common.race ? common.places : climbed(*race);
    report.staircase = staircase_of(report, study, *race, places);
    const Verdict verdict = judge(race->race);
    // More rounds may decide what the finalists' race left open.
    if (report.baseline_stands && study.staircase && !verdict.baseline_stands) {
      report.baseline_stands = report.busy = false;
      report.inconclusive.clear();
    }
    if (report.baseline_stands && !race->given) {
      report.staircase.reset();
      report.no_staircase_because = "best and baseline cannot be told apart";
      return;
    }
    if (!report.baseline_stands && (study.staircase || common.staircase)) {
      const std::optional<Contender> fastest = report.best;
      if (auto top = entrant(race->race, verdict, places.back())) report.best = std::move(top);
      // Another finalist was as fast.
      if (fastest && places.back() <= race->winner &&
          fastest->configuration != report.best->configuration)
        report.ties.push_back(*fastest);
      const auto gain = paired_ratio(race->race, 0, places.back());
      if (gain && (gain->low > 1 || !report.speedup || report.speedup->low <= 1))
        report.speedup = gain;
      report.race_rounds = int(race->race.seconds.size());
      std::erase_if(report.ties, [&](const Contender& tie) {
        return tie.configuration == report.best->configuration;
      });
    }
    // A staircase with a single step has the whole gain in that step.
    auto& stairs = report.staircase->stairs;
    if (auto& gain = stairs.back().gain; stairs.size() == 2 && gain && report.speedup)
      gain = Estimate{gain->value, std::min(gain->value, report.speedup->low),
                      std::max(gain->value, report.speedup->high)};
    const auto* const first =
        first_where(stairs, [](const Stair& stair) { return stair.seconds.has_value(); });
    if (report.baseline && first && first->configuration == report.baseline->configuration)
      report.baseline->seconds = *first->seconds;
    fill_ledger(report, *race, places);
  }

  /// Notes what else disturbed the run; other disturbances show as wider intervals.
  void note_run() {
    const Environment around = study.environment.value_or(Environment());
    if (study.environment && report.busy) report.notes.push_back(around.note);
    if (!around.unlocked.empty()) report.inconclusive.push_back(around.unlocked);
    if (around.card) {
      append(report.inconclusive, card_doubts(*around.card));
      append(report.notes, card_notes(*around.card));
    }
    if (study.stopped && !study.stopped->refuted.empty())
      report.notes.push_back("pruning: " + study.stopped->refuted);
  }

  void fill_notes() {
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
    append(report.notes, clock_notes(study, report.roofline.machine));
    for (const auto& fault : study.faults) report.notes.push_back("records: " + fault);
    append(report.notes, study.notes);
  }

  /// Collects the `flags` of best, then of baseline.
  void fill_flags() {
    const auto add = [&](const std::string& who, const Contender& contender) {
      if (!contender.counts) return;
      for (const std::string& flag : contender.counts->flags)
        report.flags.push_back(who + ": " + flag);
    };
    if (report.best) add("best", *report.best);
    if (report.baseline && (!report.best || report.best->trial != report.baseline->trial))
      add("baseline", *report.baseline);
    if (report.baseline && report.baseline->counts && report.roofline.states_limit() &&
        !report.roofline.work.partial)
      for (const std::string& flag :
           forgotten(report.roofline, report.baseline->seconds, *report.baseline->counts))
        report.flags.push_back(flag);
  }

  Contender timed(const Trial& trial, const Estimate& seconds) const {
    return contender(report, study, trial, seconds);
  }
  /// With its time in a race; nullopt without a trial.
  std::optional<Contender> entrant(const Race& race, const Verdict& verdict, size_t place) const {
    const Trial* trial = study.history.find(race.configurations[place]);
    return trial ? std::optional(timed(*trial, verdict.seconds[place])) : std::nullopt;
  }

  StudyResult run() {
    const StudySetup& setup = study.require_setup();
    report.header = study.header;
    report.setup = setup;
    report.own_figure = setup.own_figure;
    report.goals = setup.goals;
    report.place = study.place;
    if (study.history.size() > 0) report.date = study.history.trials().back().started;
    report.problem = setup.inputs.front().problem;
    report.facts = setup.inputs.front().facts;
    report.roofline = roofline_of(study, 0);
    // The space comes from the machine file, the bound from the ceilings as the run measured them.
    const SearchSpace space = common.space ? *common.space : space_of(study);
    report.drifts = drift(setup.machine, readings_of(study));
    report.roofline.machine = as_seen(setup.machine, report.drifts);
    if (report.roofline.states_limit() && !setup.machine.ceilings.empty()) {
      report.bound = report.roofline.bound();
      report.space_bound = space_bound(space, least_movements_of(study, 0, space), report.roofline);
    }
    report.space = {space.knobs(), space.cartesian_size(), double(space.size())};
    report.trials = study.history.trials();
    widen_trials();
    report.nodes = study.nodes;
    sort(report.nodes, {}, &StudyNode::node);
    report.cost = study.history.cost();
    report.waited = study.waited;
    report.counted = study.counts_of(0);
    fill_contenders(space.baseline());
    if (study.inputs() == 1 && !common.race) take_trials();
    take_staircase();
    // Also for a best that raced against nothing.
    if (!report.limit && report.best && report.best->counts) {
      NamedNumbers rates;
      for (const Drift& drift : report.drifts) rates[drift.ceiling.name] = drift.given();
      report.limit = limit(*report.best->counts, report.roofline, report.best->seconds, rates);
    }
    fill_memory();
    fill_flags();
    note_run();
    fill_notes();
    report.stop = study.stopped.value_or(
        Stopped{StopReason::interrupted,
                "the run ended without a word (killed); its records are kept",
                {}});
    return std::move(report);
  }
};

}  // namespace

StudyResult analyse_one(const StudyRecord& study, const CommonChoice& common) {
  return Analysis{study, common}.run();
}

}  // namespace rooftune::study
