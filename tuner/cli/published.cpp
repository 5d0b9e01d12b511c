#include "cli/published.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/study.h"
#include "kernel/catalogue.h"
#include "os/paths.h"

namespace rooftune {
namespace {

/// Rounds of the staircase's race, and what they may take together [s]; at least five.
constexpr int most_rounds = 12, least_rounds = 5;
constexpr double race_seconds = 60;

std::string place(const Kernel& kernel, const std::string& backend) {
  return (kernel.folder / ("published." + backend + ".json")).string();
}

std::vector<Step::Change> changes(const Configuration& from, const Configuration& to,
                                  const SearchSpace& space) {
  std::vector<Step::Change> result;
  for (const Knob& knob : space.knobs())
    if (from.at(knob.name) != to.at(knob.name))
      result.push_back(
          {knob.name, to_text(from.at(knob.name)), to_text(to.at(knob.name)), knob.breaks});
  return result;
}

/// Names of what lies between two times, as the ledger of the two steps sees it.
std::vector<std::string> broken(const StudyReport& report, const Estimate& before,
                                const Estimate& now, const std::vector<Step::Change>& changes) {
  std::vector<std::string> names;
  const auto entries = report.roofline.ledger({{before, {}}, {now, changes}});
  for (const LedgerEntry& entry : entries) {
    if (entry.state != LedgerEntry::State::broken) continue;
    const std::string name = entry.name.substr(0, entry.name.find(" ("));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// The step's time: from the race where it ran there, else from its trial.
std::optional<Estimate> time_of(const Trial& trial, const std::optional<Race>& race,
                                const std::optional<Verdict>& verdict) {
  for (std::size_t c = 0; race && verdict && c < race->configurations.size(); ++c)
    if (race->configurations[c] == trial.configuration) return verdict->seconds[c];
  return trial.measurement->seconds;
}

void fill_trial(StairStep& step, const PlacedStep& place, const StudyReport& report,
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

PublishedPath required_path(const Kernel& kernel, const std::string& backend) {
  if (auto path = published_path(kernel, backend)) return *path;
  // By name alone: a fault in another kernel's files must not hide this one.
  std::string names;
  for (const std::string& name : kernel_names(home()))
    for (const char* const other : {"openmp", "kokkos", "cuda"})
      if (std::filesystem::exists(home() / "kernels" / name /
                                  fmt::format("published.{}.json", other)))
        names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", name, other);
  throw Error(fmt::format("kernel {} has no published path for back end {}", kernel.name, backend),
              place(kernel, backend), "these have one: " + names);
}

StudyOptions with_published_problem(const StudyOptions& options) {
  const PublishedPath path =
      required_path(find_kernel(options.kernel, home()), completed(options).backend);
  const auto chosen = problem_words(options.problem);
  StudyOptions result = options;
  for (const auto& [name, value] : path.problem)
    if (!chosen.contains(name)) {
      if (result.problem.empty()) result.problem.emplace_back();
      std::string& word = result.problem.front();
      word += (word.empty() ? "" : ",") + name + "=" + value;
    }
  return result;
}

std::vector<Configuration> steps_to_try(const ReadyStudy& study) {
  const PublishedPath path = required_path(study.kernel, study.backend.name);
  std::vector<Configuration> result;
  for (const PlacedStep& step : placed(path, *study.space, place(study.kernel, study.backend.name)))
    if (step.impossible.empty() &&
        std::find(result.begin(), result.end(), step.configuration) == result.end())
      result.push_back(step.configuration);
  return result;
}

std::optional<Race> race_of_steps(ReadyStudy& study, const History& history) {
  Race race;
  double round_seconds = 0;
  for (const Configuration& configuration : steps_to_try(study)) {
    const Trial* trial = history.find(configuration);
    if (!trial || !trial->ok()) continue;
    race.configurations.push_back(configuration);
    round_seconds += trial->measurement->seconds.value;
  }
  if (race.configurations.size() < 2) return std::nullopt;
  const int affordable = static_cast<int>(std::min(race_seconds / round_seconds, 1e6));
  const Rounds rounds = study.evaluator->race(
      race.configurations, std::clamp(affordable, least_rounds, most_rounds), study.header.seed);
  race.seconds = rounds.seconds;
  race.fault = rounds.fault;
  if (race.seconds.empty()) return std::nullopt;
  return race;
}

Staircase staircase(const StudyReport& report, const PublishedPath& path, const SearchSpace& space,
                    const History& history, const std::optional<Race>& race) {
  Staircase stairs;
  stairs.title = path.title;
  stairs.source = path.source;
  std::optional<Verdict> verdict;
  if (race && !race->seconds.empty()) verdict = judge(*race);
  stairs.rounds = race ? static_cast<int>(race->seconds.size()) : 0;
  const auto places = placed(path, space, report.identity.kernel);
  Configuration before = space.baseline();
  std::optional<Estimate> last;
  for (std::size_t s = 0; s < places.size(); ++s) {
    StairStep step;
    step.published = path.steps[s];
    step.changes = changes(before, places[s].configuration, space);
    fill_trial(step, places[s], report, history, race, verdict);
    if (step.seconds && last) step.broken = broken(report, *last, *step.seconds, step.changes);
    if (step.seconds) last = step.seconds;
    before = places[s].configuration;
    stairs.steps.push_back(std::move(step));
  }
  return stairs;
}

}  // namespace rooftune
