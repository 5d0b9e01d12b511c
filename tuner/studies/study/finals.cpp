// The stages after a search: the race between the fastest and the baseline, and the winner's
// staircase.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/list.h"
#include "space/knob.h"
#include "study/climb.h"
#include "study/findings.h"
#include "study/search_loop.h"
#include "study/timed_race.h"
#include "trial/evaluator.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// A race is analysed after these rounds, and may end there. How many there are enters the
/// correction.
constexpr std::array<int, 5> race_looks{least_race_rounds, 20, 30, 60, 120};
/// More rounds run only for the answer itself, not to tell finalists apart.
constexpr int rounds_for_ties = 30;
/// The share of a race's time that is planned; the rest is for a last round and checks that take
/// longer than before.
constexpr double planned_share = 0.9;

/// Shares of the wall time: at most for all stages after a search, for them while the latest trials
/// still gain, and at most for steps and values tried.
constexpr double most_reserved = 0.42, reserved_while_gaining = 0.3, most_for_climb = 0.2;

/// How many rounds a step is likely to run in a staircase's race.
constexpr int few_rounds = 4;

/// The finalists' race within a staircase's: the baseline, what was found, and its rivals.
Race finalists_of(const StaircaseRace& staircase, const Configurations& rivals) {
  Indices places{0, staircase.winner};
  const auto& all = staircase.race.configurations;
  for (size_t c = staircase.winner + 1; c < all.size(); ++c)
    if (contains(rivals, all[c])) places.push_back(c);
  return only(staircase.race, places);
}

}  // namespace

int SearchLoop::likely_steps() const {
  const Trial* best = proposed_.best();
  const Configuration baseline = setting_.space.baseline();
  if (!options_.staircase || record().staircase || !best || best->configuration == baseline)
    return 0;
  constexpr size_t most = 4;  // Some are not needed, others join.
  const auto changed = changes(baseline, best->configuration, setting_.space.knobs());
  return int(std::min(changed.size() - 1, most));
}

double SearchLoop::reserved() const {
  const Trial* best = proposed_.best();
  if (!best || !options_.budget.time || options_.finalists == 0) return 0;
  double race = 0;
  for (const Trial* trial : proposed_.fastest(options_.finalists))
    race += wall_in_race(*trial, least_race_rounds);
  if (const Trial* baseline = proposed_.find(setting_.space.baseline());
      baseline && baseline->ok() && baseline != best)
    race += wall_in_race(*baseline, least_race_rounds);
  // Steps are built, tried, raced and counted, and values beside the winner are tried.
  constexpr int tried = 2;
  const Pace now = pace(proposed_);
  const int steps = likely_steps();
  const double climb =
      steps == 0
          ? 0
          : (steps + tried) * (now.trial(options_.builders) + wall_in_race(*best, few_rounds)) +
                (options_.counts ? steps * likely_to_count(*best, now, options_.builders) : 0);
  const Schedule& schedule = setting_.schedule;
  const double wall = options_.budget.time->value();
  const double seconds = std::min(race, schedule.for_races()) +
                         std::min(climb, most_for_climb * wall) +
                         schedule.for_counts(likely_counts()) - schedule.for_counts(0);
  // The best came in the latest quarter of the trials.
  const bool gaining = 4 * best->index >= 3 * proposed_.trials().size();
  return std::min(gaining ? reserved_while_gaining : most_reserved,
                  seconds / wall + options_.afterwards) *
         wall;
}

void SearchLoop::finals() {
  // A variant whose second check finds a wrong result leaves, and the others begin anew.
  size_t refuted = 0;
  do {
    refuted = record().refuted;
    conclude();
  } while (record().refuted != refuted);
}

void SearchLoop::conclude() {
  if (!record().race || record().race->seconds.empty()) {
    // Where trials leave no doubt that the baseline is beaten, finalists and steps share a race.
    if (const Trial* best = clearly_faster(); best && climb_to(best->configuration)) return;
    options_.throw_if_interrupted();
    auto first = race();
    if (!first) return;
    setting_.recorder.append(std::move(*first));
  }
  if ((!options_.staircase && !options_.path) || record().race->seconds.empty()) return;
  if (const auto found = worth_climbing()) climb_to(*found);
}

const Trial* SearchLoop::clearly_faster() const {
  constexpr double clearly = 1.1;
  const Trial *best = history().best(), *first = history().find(setting_.space.baseline());
  if (!options_.staircase || options_.path || !best || !first || !first->ok()) return nullptr;
  const Estimate gain = first->measurement->seconds / best->measurement->seconds;
  return gain.low > clearly ? best : nullptr;
}

bool SearchLoop::climb_to(Configuration found) {
  // A staircase that did not race with it has no meaning here.
  if (const auto& known = record().staircase) {
    const auto& raced = known->race.configurations;
    if (known->found == found || contains(raced, found)) return true;
  }
  options_.throw_if_interrupted();
  show(Progress::Phase::staircase);
  Configurations rivals;
  if (!record().race)
    for (const Trial* trial : history().fastest(options_.finalists))
      if (trial->configuration != found) rivals.push_back(trial->configuration);
  const ClimbSetting setting{
      setting_, options_,
      [&](const Configuration& one, const char* because) { evaluate(one, because); }};
  const size_t refuted = record().refuted;
  auto staircase = climb(setting, found, rivals);
  if (!staircase) return record().refuted != refuted;
  const bool raced = !staircase->race.seconds.empty();
  if (raced && !record().race) setting_.recorder.append(finalists_of(*staircase, rivals));
  if (raced || record().race) setting_.recorder.append(std::move(*staircase));
  return raced;
}

std::optional<Configuration> SearchLoop::worth_climbing() const {
  const Race& finalists = *record().race;
  if (!finalists.with_baseline) return std::nullopt;
  const Verdict verdict = judge(finalists);
  if (!verdict.baseline_stands || options_.path) return finalists.configurations[verdict.winner];
  // What the finalists' race did not decide, more rounds may.
  if (verdict.doubt)
    for (const Trial* trial : history().fastest(2))
      if (trial->configuration != finalists.configurations.front()) return trial->configuration;
  return std::nullopt;
}

double SearchLoop::left_for_race() const {
  return std::min(setting_.schedule.left_for(Part::race), setting_.schedule.for_races() - raced_);
}

std::optional<Race> SearchLoop::race() {
  const Trial* baseline = history().find(setting_.space.baseline());
  Race race;
  race.looks = int(race_looks.size());
  race.with_baseline = baseline && baseline->ok();
  if (race.with_baseline) race.configurations.push_back(baseline->configuration);
  double wall = race.with_baseline ? wall_in_race(*baseline, least_race_rounds) : 0;
  for (const Trial* trial : history().fastest(options_.finalists)) {
    if (race.with_baseline && trial->configuration == baseline->configuration) continue;
    wall += wall_in_race(*trial, least_race_rounds);
    if (race.configurations.size() >= 2 && wall > planned_share * left_for_race()) break;
    race.configurations.push_back(trial->configuration);
  }
  if (race.configurations.size() < 2) return std::nullopt;
  auto all = raced(race);
  if (!all || !all->seconds.empty() || race.configurations.size() == 2) return all;
  // A failure beside the others need not fail the study's answer.
  race.configurations.resize(2);
  auto pair = raced(std::move(race));
  if (pair) pair->fault = pair->fault.empty() ? all->fault : pair->fault;
  return pair;
}

std::optional<Race> SearchLoop::raced(Race race) {
  double round_seconds = 0, checks = 0, fastest = HUGE_VAL, slowest = 0;
  for (const Configuration& configuration : race.configurations)
    if (const Trial* trial = history().find(configuration); trial->ok()) {
      round_seconds += wall_of_round(*trial);
      checks += wall_of_entering(*trial) / 2;
      fastest = std::min(fastest, trial->seconds());
      slowest = std::max(slowest, trial->seconds());
    }
  const double limit = left_for_race(), begin = setting_.schedule.elapsed();
  double first_round = 0;
  const auto after = [&](const Race& seen) {
    const auto done = int(seen.seconds.size());
    const double spent = setting_.schedule.elapsed() - begin;
    if (done == 1) first_round = spent;
    const double next = done == 1 ? round_seconds : (spent - first_round) / (done - 1);
    AfterRound now;
    now.over = spent + next + checks > planned_share * limit &&
               (setting_.schedule.is_limited() || done >= least_race_rounds);
    if (now.over || !contains(race_looks, done)) return now;
    const Verdict verdict = judge(seen);
    // The staircase explains more than telling one finalist from another.
    const bool is_long =
        setting_.schedule.is_limited() && spent + least_race_rounds * next > limit / 2;
    now.over = verdict.decided() || ((done >= rounds_for_ties || is_long) && !verdict.doubt);
    now.leave = verdict.leaves;
    return now;
  };
  const int affordable = int(std::clamp((planned_share * limit - 2 * checks) / round_seconds,
                                        1.0 * least_race_rounds, 1.0 * rounds_for_ties));
  show(Progress::Phase::race);
  const auto ended = run_rounds(
      race,
      {options_, setting_.evaluator, setting_.schedule.is_limited() ? limit : HUGE_VAL,
       options_.sees_rounds ? race_looks.back() : affordable, Seconds(fastest), Seconds(slowest)},
      after);
  raced_ += setting_.schedule.elapsed() - begin;
  if (!ended) return std::nullopt;
  if (!*ended) race.fault = "the budget was over before its rounds; a longer --budget races them";
  if (race.seconds.empty() && race.fault.empty()) return std::nullopt;
  return race;
}

}  // namespace rooftune::study
