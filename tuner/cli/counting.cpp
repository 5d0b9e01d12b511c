#include "cli/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "os/interruption.h"
#include "report/figures.h"

namespace rooftune {
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

double sample_seconds(const std::optional<Seconds>& budget, const History& history) {
  constexpr double share = 0.1, floor_seconds = 10;
  return std::max(floor_seconds, share * (budget ? budget->value() : history.cost().total));
}

std::vector<Configuration> worth_counting(const ReadyStudy& study, const History& history,
                                          const std::optional<Race>& race) {
  std::vector<Configuration> chosen;
  const Trial* best = history.best();
  if (race && !race->seconds.empty())
    chosen.push_back(race->configurations[judge(*race).winner]);
  else if (best)
    chosen.push_back(best->configuration);
  const Trial* baseline = history.find(study.space->baseline());
  if (baseline && baseline->ok() &&
      (chosen.empty() || !(chosen.front() == baseline->configuration)))
    chosen.push_back(baseline->configuration);
  return chosen;
}

std::vector<CountedRun> count(ReadyStudy& study, const std::vector<Configuration>& configurations,
                              const std::string& word, std::vector<CountedRun> earlier,
                              const std::function<void(const std::string&)>& say,
                              const std::function<void(const std::vector<CountedRun>&)>& keep,
                              std::optional<double> limit) {
  const auto begin = std::chrono::steady_clock::now();
  for (const CounterProviderRow* provider : chosen_providers(word, study.backend.name == "cuda"))
    for (const Configuration& configuration : configurations) {
      if (interrupted()) return earlier;
      if (is_counted(earlier, configuration, provider->name)) continue;
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      if (limit && spent.count() + longest(earlier, provider->name) > *limit) {
        say(fmt::format("not counted with {}, no time is left of {}: {}", provider->name,
                        duration_text(*limit),
                        difference_text(configuration, study.space->baseline())));
        continue;
      }
      say(fmt::format("counting with {}: {}", provider->name,
                      difference_text(configuration, study.space->baseline())));
      try {
        replace(earlier, study.evaluator->count(configuration, *provider, study.roofline.machine));
      } catch (const Interrupted&) {
        return earlier;
      }
      keep(earlier);
    }
  return earlier;
}

}  // namespace rooftune
