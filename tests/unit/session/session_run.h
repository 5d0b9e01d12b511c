// One session over the synthetic grid, with what it remembered.
// The caller gives the evaluator and the options.
#pragma once
#include <utility>

#include "session.h"
#include "synthetic.h"

namespace rooftune::synthetic {

/// The configurations of a history as they were tried.
inline std::vector<std::string> order(const History& history) {
  std::vector<std::string> keys;
  for (const Trial& trial : history.trials()) keys.push_back(trial.configuration.key());
  return keys;
}

struct Run {
  SessionEnd end;
  History history;
  std::vector<std::string> events;
};

inline Run run(SyntheticEvaluator& evaluator, double bound_seconds, SessionOptions options,
               const std::string& strategy = "local", History history = {},
               const Finish& earlier = {}) {
  const SearchSpace space = grid();
  const auto chosen = make_strategy(strategy);
  const Bound bound = bound_of(bound_seconds);
  Remembered memory;
  Session session(space, *chosen, bound, evaluator, memory, std::move(options));
  Run result;
  result.history = std::move(history);
  result.end = session.run(result.history, earlier);
  result.events = memory.events;
  return result;
}

}  // namespace rooftune::synthetic
