// The literature's steps: raced after the search, and their staircase in the result.
#include <fmt/format.h>

#include <algorithm>

#include "study/findings.h"
#include "study/stages.h"

namespace rooftune::study {
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

Staircase staircase(const StudyResult& report, const PublishedPath& path, const SearchSpace& space,
                    const History& history, const std::optional<Race>& race) {
  Staircase stairs;
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
