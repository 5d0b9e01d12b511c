#include "cli/counting.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.h"
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

}  // namespace

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
                              const std::function<void(const std::vector<CountedRun>&)>& keep) {
  for (const CounterProviderRow* provider : chosen_providers(word))
    for (const Configuration& configuration : configurations) {
      if (interrupted()) return earlier;
      if (is_counted(earlier, configuration, provider->name)) continue;
      say(fmt::format("counting with {}: {}", provider->name,
                      difference_text(configuration, study.space->baseline())));
      replace(earlier, study.evaluator->count(configuration, *provider, study.machine));
      keep(earlier);
    }
  return earlier;
}

}  // namespace rooftune
