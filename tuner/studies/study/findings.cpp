#include "study/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "core/list.h"
#include "roofline/contradiction.h"
#include "roofline/roofline.h"
#include "study/schedule.h"
#include "study/staircase.h"
#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// A configuration's counts, one entry per provider.
CountsList counts_of(const StudyResult& report, const Configuration& configuration) {
  CountsList counted;
  for (const CountedRun& run : report.counted)
    if (run.counts && !is_empty(*run.counts) && run.configuration == configuration)
      counted.push_back(*run.counts);
  return counted;
}

/// Fills in what every provider counted for the configuration, or why nothing was counted.
void fill_counts(const StudyResult& report, Contender& contender) {
  const CountsList counted = counts_of(report, contender.configuration);
  for (const CountedRun& run : report.counted)
    if (run.configuration == contender.configuration && run.provider == compiled_code)
      contender.reach = run.reach;
    else if (run.configuration == contender.configuration && (!run.counts || is_empty(*run.counts)))
      join(contender.not_counted_because,
           run.provider + ": " +
               (run.counts ? "nothing; the work is done in code that it does not see"
                           : run.absent_because),
           "; ");
  if (counted.empty()) return;
  Counts all = combined(counted);
  const auto found = contradictions(report.roofline, contender.seconds, counted);
  append(all.flags, found);
  contender.counts = std::move(all);
}

/// A memory knob that breaks the huge-pages paradigm is on.
bool has_huge_pages(const StudyResult& report, const Configuration& configuration) {
  return any_of(report.space.knobs, [&](const Knob& knob) {
    return knob.kind == Knob::Kind::memory && configuration.has(knob.name) &&
           breaks_one(knob.breaks, {Paradigm::huge_pages}) &&
           configuration.at(knob.name) == Value(true);
  });
}

/// Where the core's clock falls below this share of the probed one, the tuner's figures are off by
/// as much.
constexpr double least_share = 0.95;

/// The core clock that the machine's probe measured with the in-core ceilings [Hz]: the median for
/// each vector width, and the slowest of these, because wide vectors may lower the clock. nullopt
/// for a file without clocks.
std::optional<double> probed_clock(const Machine& machine) {
  std::map<int, Numbers> clocks;
  for (const Ceiling& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.clock > 0)
      clocks[ceiling.simd_bits].push_back(ceiling.clock);
  std::optional<double> slowest;
  for (const auto& [bits, seen] : clocks) {
    const double median = quantile(seen, 0.5);
    slowest = slowest ? std::min(*slowest, median) : median;
  }
  return slowest;
}

}  // namespace

Step::Changes changes(const Configuration& from, const Configuration& to, const Knobs& knobs) {
  Step::Changes result;
  for (const Knob& knob : knobs)
    if (from.has(knob.name) && to.has(knob.name) && from.at(knob.name) != to.at(knob.name))
      result.push_back({knob.name, from.at(knob.name), to.at(knob.name), knob.breaks});
  return result;
}

std::optional<Counts> counted(const StudyResult& report, const Configuration& configuration) {
  const CountsList all = counts_of(report, configuration);
  if (all.empty()) return std::nullopt;
  return combined(all);
}

Contender contender(const StudyResult& report, const StudyRecord& study, const Trial& trial,
                    const Estimate& seconds) {
  Contender result;
  result.configuration = trial.configuration;
  result.trial = trial.index;
  result.seconds = seconds;
  fill_counts(report, result);
  if (!report.bound.known()) return result;
  std::string absent = result.not_counted_because;
  if (!result.counts && absent.empty()) absent = study.setup->not_counted_because;
  result.gap = report.roofline.gap(seconds, result.counts ? &*result.counts : nullptr, absent);
  return result;
}

Paradigms exploited(const StudyResult& report, const Configuration& configuration) {
  using enum Paradigm;
  Paradigms result;
  const Counts counts = counted(report, configuration).value_or(Counts());
  const auto detail = [&](const char* name) { return detail_of(counts, name); };
  double fused = 0, all = 0;
  for (const auto& [precision, kinds] : counts.operations) {
    all += flops(counts, precision).value;
    for (const auto& [kind, count] : kinds)
      if (kind == Counts::fma) fused += 2 * count.value;
  }
  if (fused > 0.5 * all) result.insert(fma);
  if (detail(vector_share) > 0.5) result.insert(simd);
  if (detail(streamed_bytes) > 0.5 * detail(stored_bytes)) result.insert(nt_store);
  if (const auto& levels = report.roofline.machine.levels; !levels.empty())
    if (auto* found = value_at(counts.details, levels.back().name + allocated_suffix);
        found && found->value < 0.5 * detail(stored_bytes))
      result.insert(write_allocate);
  if (has_huge_pages(report, configuration)) result.insert(huge_pages);
  // Without a knob for the thread count, every parallel region has all the study's threads.
  const Knob* threads = thread_knob(report.space.knobs);
  if (threads && configuration.has(threads->name)
          ? configuration.at(threads->name).real() >= report.roofline.threads
          : detail(parallel_regions) > 0 ||
                detail(busiest_thread) < 0.9 * detail(instructions_detail))
    result.insert(tlp);
  return result;
}

std::string clock_drop(const Environment& environment, const Machine& machine) {
  // The tuner's own core only feeds a GPU.
  if (machine.is_gpu()) return {};
  const auto probed = probed_clock(machine);
  std::optional<double> slower;
  for (const auto& clock : {environment.clock.first, environment.clock.second})
    if (clock) slower = slower ? std::min(*slower, *clock) : *clock;
  if (!probed || !slower || *slower >= least_share * *probed) return {};
  return fmt::format(
      "the core's clock was {:.2f} GHz, {:.0f} % below the {:.2f} GHz of the probe (measured: a "
      "chain of dependent additions on the tuner's own core)",
      1e-9 * *slower, 100 * (1 - *slower / *probed), 1e-9 * *probed);
}

Texts clock_notes(const StudyRecord& study, const Machine& machine) {
  Texts notes;
  if (study.environment)
    if (const std::string drop = clock_drop(*study.environment, machine); !drop.empty())
      notes.push_back("before or after the run " + drop);
  const auto slow = count_if(study.trial_environments, [&](const auto& entry) {
    return !clock_drop(entry.second, machine).empty();
  });
  // The race decides the answer; `tune explain` tells where a few trials ran slowly.
  constexpr double few = 0.1;
  if (double(slow) > few * double(study.trial_environments.size()))
    notes.push_back(
        fmt::format("around {} of {} trials the core's clock was more than {:.0f} % "
                    "below that of the probe (tune explain TRIAL says by how much)",
                    slow, study.trial_environments.size(), 100 * (1 - least_share)));
  return notes;
}

Configurations worth_counting(const StudyRecord& study, const Configuration& baseline) {
  Configurations chosen;
  const Trial* best = study.history.best();
  const auto race = staircase_race(study);
  const auto places = race ? climbed(*race) : Indices{};
  if (race)
    chosen.push_back(race->race.configurations[places.back()]);
  else if (study.race && !study.race->seconds.empty())
    chosen.push_back(study.race->configurations[judge(*study.race).winner]);
  else if (best)
    chosen.push_back(best->configuration);
  const Trial* first = study.history.find(baseline);
  if (first && first->ok() && (chosen.empty() || chosen.front() != baseline))
    chosen.push_back(baseline);
  for (size_t i = 1; i + 1 < places.size(); ++i)
    chosen.push_back(race->race.configurations[places[i]]);
  return chosen;
}

double likely_to_count(const StudyRecord& study, const Configuration& baseline, int builders) {
  const Pace now = pace(study.history);
  double seconds = 0;
  for (const Configuration& configuration : worth_counting(study, baseline))
    if (const Trial* trial = study.history.find(configuration); trial && trial->ok())
      seconds += likely_to_count(*trial, now, builders);
  return seconds;
}

}  // namespace rooftune::study
