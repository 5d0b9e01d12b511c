// The stages of a study after its search; counts of best and baseline, and the literature's steps.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/seconds_since.h"
#include "core/units.h"
#include "os/interruption.h"
#include "study/findings.h"

namespace rooftune::study {
namespace {

/// Readings of a machine before and after a search show a change in between.
void read_anchors_again(StageContext& context) {
  if (context.end.evaluated == 0 || context.anchors_before.empty()) return;
  std::vector<std::string> names;
  for (const Ceiling& ceiling : context.anchors_before) names.push_back(ceiling.name);
  auto now = context.platform.anchors(context.study.machine, names);
  context.throw_if_interrupted();
  context.recorder.append(
      AnchorReadings{context.anchors_before, std::move(now), context.anchors_between});
}

}  // namespace

void StageContext::say_of(std::size_t input, const std::string& text) const {
  say(study.objective ? study.inputs[input]->model.name + ": " + text : text);
}

void StageContext::throw_if_interrupted() const {
  if (interrupted()) throw Interrupted{};
}

void run_stages(StageContext& context) {
  for (const auto stage : {read_anchors_again, count, race_published_steps}) {
    context.throw_if_interrupted();
    stage(context);
  }
  context.throw_if_interrupted();
}

namespace {

/// A later command tries a failed run again: its obstacle may be gone.
bool is_counted(const std::vector<CountedRun>& runs, const Configuration& configuration,
                const std::string& provider) {
  return std::ranges::any_of(runs, [&](const CountedRun& run) {
    return run.counts && run.configuration == configuration && run.provider == provider;
  });
}

void replace(std::vector<CountedRun>& runs, CountedRun run) {
  std::erase_if(runs, [&](const CountedRun& other) {
    return other.configuration == run.configuration && other.provider == run.provider;
  });
  runs.push_back(std::move(run));
}

constexpr const char* no_time = "no time was left, a longer --budget has it";

/// Longest run of this provider so far [s].
double longest(const std::vector<CountedRun>& runs, const std::string& provider) {
  double seconds = 0;
  for (const CountedRun& run : runs)
    if (run.provider == provider) seconds = std::max(seconds, run.seconds);
  return seconds;
}

/// Counts of one input, within a time limit for all its runs [s]; a run likely to end later is left
/// out, with a note, unless each has a time of its own.
class Counting {
 public:
  /// `least`: that each run has in any case [s]; 0: none.
  Counting(StageContext& context, std::size_t input, double limit, double least)
      : context_(context), input_(input), limit_(limit), least_(least) {}

  void count(const std::vector<Configuration>& configurations) {
    PreparedStudy& study = context_.study;
    for (const std::string& provider :
         context_.platform.counter_providers(study.spec.counters, study.on_gpu()))
      for (std::size_t i = 0; i < configurations.size(); ++i) {
        context_.throw_if_interrupted();
        count(configurations[i], provider, configurations.size() - 1 - i);
      }
  }
  int without_time() const { return without_time_; }

 private:
  /// `others`: number of runs still to come, each with the same share of the remaining time.
  void count(const Configuration& configuration, const std::string& provider, std::size_t others) {
    PreparedInput& here = *context_.study.inputs[input_];
    std::vector<CountedRun> runs = context_.recorder.record().counts_of(input_);
    if (is_counted(runs, configuration, provider)) return;
    CountedRun run{configuration, provider, std::nullopt, no_time, 0};
    const double left = limit_ - seconds_since(begin_);
    // With less time the provider may count a smaller part of the call.
    if (least_ <= 0 && (left <= 0 || left < longest(runs, provider) / 2)) {
      ++without_time_;
    } else {
      context_.say_of(input_, fmt::format("counting with {}: {}", provider,
                                          difference_text(configuration, here.space->baseline())));
      const double share = std::max(left / static_cast<double>(1 + others), least_);
      const bool ended =
          in_time(context_.schedule.is_limited() ? std::max(left, least_) : HUGE_VAL, [&] {
            run = here.runner->count(configuration, provider, context_.study.machine, share);
          });
      if (!ended) run.seconds = left;
      if (!run.counts && run.seconds >= share)
        run.absent_because += fmt::format(", with the {} that the budget left; {}",
                                          to_text(Seconds(share)), cure(configuration));
    }
    replace(runs, std::move(run));
    context_.recorder.append(InputCounts{input_, runs});
  }

  /// The time it would have taken.
  std::string cure(const Configuration& configuration) const {
    const History& history = context_.recorder.record().history;
    const Trial* trial = history.find(configuration);
    if (!trial || !trial->ok() || context_.study.objective)
      return "a longer --budget or a smaller problem can be counted";
    const double likely = likely_to_count(*trial, pace(history));
    return fmt::format(
        "a call of {} likely takes {} to count: --budget {:.0f}s keeps as much for best and "
        "baseline, and a smaller problem takes less",
        to_text(Seconds(trial->measurement->seconds.value)), to_text(Seconds(likely)),
        std::ceil(Schedule::budget_to_count(2 * likely)));
  }

  StageContext& context_;
  std::size_t input_;
  double limit_, least_;
  int without_time_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<Configuration> worth_counting(const StudyRecord& study, const Configuration& baseline) {
  std::vector<Configuration> chosen;
  const Trial* best = study.history.best();
  if (study.race && !study.race->seconds.empty())
    chosen.push_back(study.race->configurations[judge(*study.race).winner]);
  else if (best)
    chosen.push_back(best->configuration);
  const Trial* first = study.history.find(baseline);
  if (first && first->ok() && (chosen.empty() || !(chosen.front() == baseline)))
    chosen.push_back(baseline);
  return chosen;
}

double likely_to_count(const StudyRecord& study, const Configuration& baseline) {
  const Pace now = pace(study.history);
  double seconds = 0;
  for (const Configuration& configuration : worth_counting(study, baseline))
    if (const Trial* trial = study.history.find(configuration); trial && trial->ok())
      seconds += likely_to_count(*trial, now);
  return seconds;
}

namespace {

/// The reach of their compiled code on a card.
void tell_reach(StageContext& context, const std::vector<Configuration>& chosen) {
  for (std::size_t i = 0; i < context.study.inputs.size(); ++i)
    for (const Configuration& configuration : chosen) {
      context.throw_if_interrupted();
      PreparedInput& here = *context.study.inputs[i];
      auto reach = here.runner->call_time(configuration, context.study.machine, here.bound.time);
      if (!reach) continue;
      std::vector<CountedRun> runs = context.recorder.record().counts_of(i);
      replace(runs, {configuration, compiled_code, std::nullopt, {}, 0, std::move(reach)});
      context.recorder.append(InputCounts{i, std::move(runs)});
    }
}

}  // namespace

void count(StageContext& context) {
  const StudyRecord& record = context.recorder.record();
  const Configuration& baseline = context.study.first().space->baseline();
  const auto chosen = worth_counting(record, baseline);
  // What race and ablation left for them, by the same forecast.
  Schedule& schedule = context.schedule;
  schedule.keep_for_counts(likely_to_count(record, baseline));
  const auto inputs = static_cast<double>(context.study.inputs.size());
  const double each = schedule.for_counts(0) / inputs /
                      static_cast<double>(std::max<std::size_t>(1, chosen.size()));
  for (std::size_t i = 0; i < context.study.inputs.size(); ++i) {
    Counting counting(context, i,
                      schedule.left_for(Part::counts) / (inputs - static_cast<double>(i)), each);
    counting.count(chosen);
    if (counting.without_time() > 0)
      context.say_of(i,
                     fmt::format("{} runs were not counted: {}", counting.without_time(), no_time));
  }
  if (context.study.on_gpu()) tell_reach(context, chosen);
}

namespace {

/// Rounds of the staircase's race, and their time limit together [s]; at least five.
constexpr int most_rounds = 12, least_rounds = 5;
constexpr double race_seconds = 60;

/// The step's time: from the race where it ran there, else from its trial.
std::optional<Estimate> time_of(const Trial& trial, const std::optional<Race>& race,
                                const std::optional<Verdict>& verdict) {
  for (std::size_t c = 0; race && verdict && c < race->configurations.size(); ++c)
    if (race->configurations[c] == trial.configuration) return verdict->seconds[c];
  return trial.measurement->seconds;
}

void fill_trial(StairStep& step, const PlacedStep& place, const StudyResult& report,
                const History& history, const std::optional<Race>& race,
                const std::optional<Verdict>& verdict) {
  const Trial* trial = history.find(place.configuration);
  step.absent_because = place.impossible;
  if (!place.impossible.empty()) return;
  if (!trial) {
    step.absent_because = "the run ended before it";
    return;
  }
  step.trial = trial->index;
  if (!trial->ok()) {
    step.absent_because = fmt::format("{}: {}", to_text(trial->outcome), trial->detail);
    return;
  }
  step.seconds = time_of(*trial, race, verdict);
  step.gap = step.seconds->value / report.bound.time.value();
}

}  // namespace

std::vector<LedgerEntry> broken(const StudyResult& report, const Configuration& from,
                                const Estimate& before, const Estimate& now,
                                const std::vector<Step::Change>& changes) {
  Attribution known;
  known.baseline_has = exploited(report, from);
  auto entries = report.roofline.ledger({{before, {}}, {now, changes}}, known);
  std::erase_if(entries,
                [](const LedgerEntry& entry) { return entry.state != LedgerEntry::State::broken; });
  return entries;
}

void race_published_steps(StageContext& context) {
  if (!context.study.spec.path) return;
  const History& history = context.recorder.record().history;
  Race race;
  double round_seconds = 0;
  for (const Configuration& configuration : published_steps(context.study)) {
    const Trial* trial = history.find(configuration);
    if (!trial || !trial->ok()) continue;
    race.configurations.push_back(configuration);
    round_seconds += trial->measurement->seconds.value;
  }
  if (race.configurations.size() < 2) return;
  const int affordable = static_cast<int>(std::min(race_seconds / round_seconds, 1e6));
  const Rounds rounds = context.study.first().runner->race(
      race.configurations, std::clamp(affordable, least_rounds, most_rounds),
      context.study.spec.seed);
  for (const Refuted& refuted : rounds.refuted) context.recorder.append(refuted);
  if (!rounds.refuted.empty()) return race_published_steps(context);
  append(race, rounds);
  if (!race.fault.empty())
    context.say(fmt::format("the steps of the literature were raced in {} rounds, then: {}",
                            race.seconds.size(), race.fault));
  context.recorder.append(PublishedRace{std::move(race)});
}

PublishedStairs staircase(const StudyResult& report, const PublishedPath& path, const SearchSpace& space,
                    const History& history, const std::optional<Race>& race) {
  PublishedStairs stairs;
  stairs.title = path.title;
  stairs.source = path.source;
  std::optional<Verdict> verdict;
  if (race && !race->seconds.empty()) verdict = judge(*race);
  stairs.rounds = race ? static_cast<int>(race->seconds.size()) : 0;
  const auto places = placed(path, space, report.identity.kernel);
  Configuration before = space.baseline();
  std::optional<std::pair<Configuration, Estimate>> last;
  for (std::size_t s = 0; s < places.size(); ++s) {
    StairStep step;
    step.published = path.steps[s];
    step.changes = changes(before, places[s].configuration, space.knobs());
    fill_trial(step, places[s], report, history, race, verdict);
    if (step.seconds && last)
      step.broken = broken(report, last->first, last->second, *step.seconds, step.changes);
    before = places[s].configuration;
    if (step.seconds) last.emplace(before, *step.seconds);
    stairs.steps.push_back(std::move(step));
  }
  return stairs;
}

}  // namespace rooftune::study
