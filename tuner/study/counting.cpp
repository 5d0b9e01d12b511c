#include "study/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/seconds_since.h"
#include "core/units.h"
#include "os/interruption.h"
#include "study/wall_experiments.h"

namespace rooftune::inline study {
namespace {

/// A run that failed is tried again by a later command: what was in its way may be gone.
bool is_counted(const std::vector<CountedRun>& runs, const Configuration& configuration,
                const std::string& provider) {
  return std::any_of(runs.begin(), runs.end(), [&](const CountedRun& run) {
    return run.counts && run.configuration == configuration && run.provider == provider;
  });
}

void replace(std::vector<CountedRun>& runs, CountedRun run) {
  std::erase_if(runs, [&](const CountedRun& other) {
    return other.configuration == run.configuration && other.provider == run.provider;
  });
  runs.push_back(std::move(run));
}

/// What a run of this provider took at most so far [s].
double longest(const std::vector<CountedRun>& runs, const std::string& provider) {
  double seconds = 0;
  for (const CountedRun& run : runs)
    if (run.provider == provider) seconds = std::max(seconds, run.seconds);
  return seconds;
}

bool among(const std::vector<Configuration>& all, const Configuration& one) {
  return std::any_of(all.begin(), all.end(), [&](const Configuration& c) { return c == one; });
}

/// With `limit` [s] a run is left out, and said to be, when it likely ends later.
void count_all(StageContext& context, std::size_t input,
               const std::vector<Configuration>& configurations, std::optional<double> limit) {
  PreparedStudy& study = context.study;
  PreparedInput& here = *study.inputs[input];
  const Configuration baseline = here.space->baseline();
  std::vector<CountedRun> runs = context.recorder.record().counts_of(input);
  const auto begin = std::chrono::steady_clock::now();
  const bool gpu = study.on_gpu();
  for (const std::string& provider : context.platform.counter_providers(study.spec.counters, gpu))
    for (const Configuration& configuration : configurations) {
      context.throw_if_interrupted();
      if (is_counted(runs, configuration, provider)) continue;
      const std::string what = difference_text(configuration, baseline);
      if (limit && seconds_since(begin) + longest(runs, provider) > *limit) {
        context.say_of(input, fmt::format("not counted with {}, no time is left of {}: {}",
                                          provider, to_text(Seconds(*limit)), what));
        continue;
      }
      context.say_of(input, fmt::format("counting with {}: {}", provider, what));
      replace(runs, here.runner->count(configuration, provider, study.machine));
      context.recorder.append(InputCounts{input, runs});
    }
}

}  // namespace

std::vector<Configuration> sample_to_count(const History& history,
                                           const std::vector<Configuration>& known,
                                           const std::vector<CountedRun>& earlier, std::size_t n) {
  std::vector<Configuration> counted;
  for (const CountedRun& run : earlier)
    if (run.counts && !among(known, run.configuration) && !among(counted, run.configuration))
      counted.push_back(run.configuration);
  std::vector<Configuration> open;
  for (const Trial* trial : history.fastest(history.size()))
    if (!among(known, trial->configuration) && !among(counted, trial->configuration))
      open.push_back(trial->configuration);
  const std::size_t wanted = std::min(open.size(), n - std::min(n, counted.size()));
  std::vector<Configuration> chosen;
  // The middle of each of `wanted` equal parts of the ranks.
  for (std::size_t i = 0; i < wanted; ++i)
    chosen.push_back(open[(2 * i + 1) * open.size() / (2 * wanted)]);
  return chosen;
}

double sample_seconds(const Budget& budget, const History& history) {
  constexpr double share = 0.1, floor_seconds = 10;
  return std::max(floor_seconds,
                  share * (budget.time ? budget.time->value() : history.cost().total));
}

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

void count(StageContext& context) {
  const StudyRecord& record = context.recorder.record();
  const StudySpec& spec = context.study.spec;
  const auto contenders = worth_counting(record, context.study.first().space->baseline());
  for (std::size_t i = 0; i < context.study.inputs.size(); ++i) {
    auto first = contenders;
    const auto others = other_sides(record.experiments_of(i));
    first.insert(first.end(), others.begin(), others.end());
    count_all(context, i, first, {});
    const auto sample = sample_to_count(record.history, first, record.counts_of(i),
                                        static_cast<std::size_t>(spec.count_sample));
    count_all(context, i, sample, sample_seconds(spec.budget, record.history));
  }
}

}  // namespace rooftune::inline study
