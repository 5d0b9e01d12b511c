// One search over the synthetic grid, with its record.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "store/study_record.h"
#include "study/search_loop.h"
#include "synthetic.h"

namespace rooftune::synthetic {

/// The configurations of a history as they were tried.
inline std::vector<std::string> order(const History& history) {
  std::vector<std::string> keys;
  for (const Trial& trial : history.trials()) keys.push_back(trial.configuration.key());
  return keys;
}

/// The trials that the search proposed.
inline History proposed(const History& history) {
  History result;
  for (const Trial& trial : history.trials())
    if (trial.because.empty()) result.append(trial);
  return result;
}

/// "trial x=7 y=0", "race": the event, and the configuration of those that have one.
inline std::string described(const Event& event) {
  std::string name = event_name(event);
  if (const auto* together = std::get_if<Proposed>(&event))
    for (const Configuration& one : together->configurations) name += " " + one.key();
  if (const auto* trial = std::get_if<Trial>(&event))
    return name + " " + trial->configuration.key();
  if (const auto* one = std::get_if<Started>(&event)) return name + " " + one->configuration.key();
  if (const auto* one = std::get_if<GivenUp>(&event)) return name + " " + one->configuration.key();
  return name;
}

struct Run {
  SearchEnd end;
  StudyRecord record;
  std::vector<std::string> events;
  const History& history() const { return record.history; }
};

/// Goes on where `record` ends. `schedule`: of a clock other than the wall's.
inline Run run_search(Evaluator& evaluator, double bound_seconds, SearchOptions options,
                      const std::string& strategy = default_strategy, StudyRecord record = {},
                      const SearchSpace& space = grid(), std::optional<Schedule> schedule = {}) {
  const auto chosen = make_strategy(strategy);
  const Bound bound = bound_of(bound_seconds);
  Run result;
  result.record = std::move(record);
  if (!schedule)
    schedule.emplace(options.budget.time, Schedule::Clock::now(),
                     result.record.history.cost().total);
  Recorder recorder(result.record,
                    [&](const Event& event) { result.events.push_back(described(event)); });
  result.end =
      SearchLoop({space, *chosen, bound, evaluator, recorder, *schedule}, std::move(options)).run();
  return result;
}

}  // namespace rooftune::synthetic
