#include "study/staircase.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "kernel/published.h"
#include "study/climb.h"
#include "study/find_study.h"
#include "study/findings.h"
#include "study/model.h"
#include "study/result.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// The published path, if the study has one.
std::optional<PublishedPath> published_path_of(const StudyRecord& study) {
  const StudySetup& setup = study.require_setup();
  if (setup.published.is_null()) return std::nullopt;
  return published_path_from_json(
      setup.published, published_path_file(setup.kernel_folder, study.header.backend).string(),
      study.header.kernel, study.header.backend);
}

/// For each ceiling that ran beside the race, its median rate over its rate in the machine.
NamedNumbers rates_beside(const StudyResult& result, const Race& race) {
  NamedNumbers rates;
  for (const RacedRoof& roof : race.roofs)
    if (const Ceiling* ceiling = ceiling_named(result.roofline.machine.ceilings, roof.ceiling))
      rates[roof.ceiling] = quantile(roof.rates, 0.5) / ceiling->rate.value;
  return rates;
}

/// Builds the staircase on these places of a race.
struct StairBuilder {
  const StudyResult& result;
  const StudyRecord& study;
  const StaircaseRace& race;
  const Indices& places;
  const size_t top = places.back();
  Staircase stairs = {};

  /// A place's time: its paired ratio to the top's time, times the top's time.
  std::optional<Estimate> seconds_at(size_t place) const {
    const Estimate own = judge(race.race).seconds[top];
    if (place == top) return own;
    const auto ratio = paired_ratio(race.race, place, top);
    if (!ratio) return std::nullopt;
    return *ratio * own.value;
  }

  /// What the step gained, by the times above; the interval is from their rounds together.
  std::optional<Estimate> gain_of(size_t before, size_t after, const Stair& from,
                                  const Stair& to) const {
    if (!from.seconds || !to.seconds) return std::nullopt;
    const double value = from.seconds->value / to.seconds->value;
    const Estimate paired = paired_ratio(race.race, before, after).value_or(Estimate::exact(value));
    return Estimate{value, std::min(value, paired.low), std::max(value, paired.high)};
  }

  void fill_next() {
    const Configuration& best = race.race.configurations[top];
    for (const Trial& trial : study.history.trials()) {
      if (trial.because != because_next || trial.configuration == best) continue;
      TriedNext tried;
      tried.changes = changes(best, trial.configuration, result.space.knobs);
      const auto& all = race.race.configurations;
      const auto place = size_t(std::ranges::find(all, trial.configuration) - all.begin());
      const Trial* winner = study.history.find(best);
      if (place < all.size())
        tried.gain = paired_ratio(race.race, top, place);
      else if (trial.ok() && winner && winner->ok())
        tried.gain = winner->measurement->seconds / trial.measurement->seconds;
      if (!tried.gain)
        tried.absent_because = fmt::format("{}: {}", to_text(trial.outcome), trial.detail);
      stairs.next.push_back(std::move(tried));
    }
  }

  /// Knobs that the search's find changed, but that the top does not need and no step shows.
  Texts unneeded() const {
    Texts names;
    const auto& all = race.race.configurations;
    for (const Step::Change& change : changes(all[top], race.found, result.space.knobs))
      if (change.from == all.front().at(change.knob) &&
          none_of(stairs.stairs, [&](const Stair& stair) {
            return contains(stair.changes, change.knob, &Step::Change::knob);
          }))
        names.push_back(change.knob);
    return names;
  }

  void fill_published() {
    const auto path = published_path_of(study);
    if (!path) return;
    stairs.title = path->title;
    stairs.source = path->source;
    const SearchSpace space = space_of(study);
    Stairs all;
    Stairs& measured = stairs.stairs;
    const auto steps = placed(*path, space, result.header.kernel);
    for (const size_t i : indices(steps)) {
      const auto found = std::ranges::find(measured, steps[i].configuration, &Stair::configuration);
      if (found != measured.end()) {
        found->published = path->steps[i];
        // What stands before it is the baseline, or another step.
        std::move(measured.begin(), found + 1, std::back_inserter(all));
        measured.erase(measured.begin(), found + 1);
        continue;
      }
      const Trial* trial = study.history.find(steps[i].configuration);
      Stair& missing = all.emplace_back();
      missing.configuration = steps[i].configuration;
      missing.published = path->steps[i];
      missing.absent_because = !steps[i].impossible.empty() ? steps[i].impossible
                               : !trial                     ? "the run ended before it"
                               : trial->ok()
                                   ? "the same as an earlier step"
                                   : fmt::format("{}: {}", to_text(trial->outcome), trial->detail);
    }
    std::move(measured.begin(), measured.end(), std::back_inserter(all));
    measured = std::move(all);
    const Indices place =
        filtered(indices(measured), [&](size_t i) { return measured[i].absent_because.empty(); });
    for (const size_t i : place) {
      auto& [first, last] = measured[i].because_steps;
      first = place[first], last = place[last];
    }
  }

  /// Fills in what the last stair's counts explain, against the last counted stair before it.
  void fill_because() {
    Stairs& all = stairs.stairs;
    const size_t last = all.size() - 1;
    size_t known = last - 1;
    while (known > 0 && !all[known].counts) --known;
    const Stair &before = all[known], &after = all[last];
    if (!before.limit || !after.limit) return;
    const double was = before.seconds->value, is = after.seconds->value;
    Amounts because = amounts(*before.counts, *after.counts, was, is);
    order_by_relief(because, *before.limit, was, *after.limit, is);
    const auto gain = [](const Stair& stair) { return stair.gain ? stair.gain->value : 0; };
    Stair& most =
        *std::max_element(all.begin() + ptrdiff_t(known) + 1, all.end(),
                          [&](const auto& a, const auto& b) { return gain(a) < gain(b); });
    most.because = std::move(because);
    most.because_steps = {known + 1, last};
  }

  Staircase run() {
    const NamedNumbers rates = rates_beside(result, race.race);
    for (const size_t i : indices(places)) {
      Stair stair;
      stair.configuration = race.race.configurations[places[i]];
      if (const Trial* trial = study.history.find(stair.configuration)) stair.trial = trial->index;
      stair.seconds = seconds_at(places[i]);
      stair.rounds = clean_rounds(race.race, places[i], top);
      stair.counts = counted(result, stair.configuration);
      if (stair.counts && stair.seconds)
        stair.limit = limit(*stair.counts, result.roofline, *stair.seconds, rates);
      if (i > 0) {
        const Stair& before = stairs.stairs.back();
        stair.changes = changes(before.configuration, stair.configuration, result.space.knobs);
        stair.gain = gain_of(places[i - 1], places[i], before, stair);
      }
      stairs.stairs.push_back(std::move(stair));
      if (i > 0) fill_because();
    }
    stairs.rounds = int(race.race.seconds.size());
    stairs.dropped = stairs.rounds - clean_rounds(race.race, top, top);
    stairs.shortened_because = race.shortened_because;
    stairs.unneeded = unneeded();
    fill_next();
    if (race.given) fill_published();
    return std::move(stairs);
  }
};

}  // namespace

std::optional<StaircaseRace> staircase_race(const StudyRecord& study) {
  if (study.staircase && !study.staircase->race.seconds.empty()) return study.staircase;
  if (!study.race || study.race->seconds.empty() || !study.race->with_baseline) return std::nullopt;
  const size_t winner = judge(*study.race).winner;
  if (winner == 0) return std::nullopt;
  StaircaseRace pair;
  pair.found = study.race->configurations[winner];
  pair.race = only(*study.race, {0, winner});
  pair.winner = 1;
  pair.shortened_because =
      study.staircase ? study.staircase->shortened_because : "the steps between were not measured";
  return pair;
}

Staircase staircase_of(const StudyResult& result, const StudyRecord& study,
                       const StaircaseRace& race, const Indices& places) {
  return StairBuilder{result, study, race, places}.run();
}

void fill_ledger(StudyResult& result, const StaircaseRace& race, const Indices& places) {
  if (!result.staircase || !result.bound.known()) return;
  std::vector<Step> steps;
  StairEvidence evidence;
  Indices at;  // Each step's place in the staircase.
  Indices raced;
  size_t place = 0;
  for (const size_t i : indices(result.staircase->stairs)) {
    const Stair& stair = result.staircase->stairs[i];
    if (!stair.absent_because.empty()) continue;
    const size_t here = places[place++];
    if (!stair.seconds) continue;
    steps.push_back({*stair.seconds, stair.changes});
    evidence.has.push_back(exploited(result, stair.configuration));
    NamedNumbers& done = evidence.flops.emplace_back();
    if (stair.counts)
      for (const auto& [precision, kinds] : stair.counts->operations)
        done[precision] = flops(*stair.counts, precision).value;
    TrafficByLevel& moved = evidence.moved.emplace_back();
    if (stair.counts)
      for (const auto& [level, count] : stair.counts->traffic)
        moved[level] = {Bytes(count.read.value), Bytes(count.write.value), Bytes(0)};
    at.push_back(i);
    raced.push_back(here);
  }
  for (const RacedRoof& roof : race.race.roofs)
    if (const Ceiling* ceiling = ceiling_named(result.roofline.machine.ceilings, roof.ceiling))
      for (const size_t here : raced)
        evidence.beside[roof.ceiling].push_back(
            {seconds_under_roof(race.race, here, roof, ceiling->rate.value),
             seconds_under_roof(race.race, here, roof, ceiling->rate.value, 0.5)});
  result.ledger = result.roofline.ledger(steps, evidence);
  for (LedgerEntry& entry : result.ledger) {
    for (auto* stair : {&entry.passed_by, &entry.broken_by})
      if (*stair) *stair = at[**stair];
    if (entry.passed_by) result.staircase->stairs[*entry.passed_by].passed.push_back(entry);
  }
  if (result.best && result.best->counts)
    result.limit = limit(*result.best->counts, result.roofline, result.best->seconds,
                         rates_beside(result, race.race));
  if (auto* roof = value_at(evidence.beside, result.bound.ceiling))
    result.paired_gap = roof->back().whole / result.bound.time.value();
}

}  // namespace rooftune::study
