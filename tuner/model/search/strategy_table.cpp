// The visible table of strategies. To add one: write search/<name>.cpp with a class derived from
// SearchState and a function new_<name>(), declare the function in search_state.h and add a row
// here. The laws of every row (never a tried configuration, nullopt exactly when all were tried,
// the same proposal for the same space, history and seed) are tested for all rows by
// tests/property/search/strategy_laws.cpp.
#include "search/search_state.h"

namespace rooftune::search {

const std::vector<StrategyRow>& strategies() {
  static const std::vector<StrategyRow> table{
      {.name = "bayes_gp",
       .summary = "Bayesian optimisation: Gaussian process, expected improvement",
       .new_state = new_bayes_gp,
       .tells_chance = true},
      {"exhaustive", "every configuration, in the order of the search space", new_exhaustive},
      {"genetic", "steady-state genetic algorithm on the 20 fastest", new_genetic},
      {"local", "greedy steps to better neighbours, with restarts when none is left", new_local},
      {"random", "uniform over what was not tried yet", new_random},
      {.name = "roofline",
       .summary = "model of the time; transfer, bounds and the binding ceiling come first",
       .new_state = new_roofline,
       .tells_chance = true},
  };
  return table;
}

const StrategyRow& strategy_row(const std::string& name) {
  std::vector<std::string> names;
  for (const StrategyRow& row : strategies()) {
    if (name == row.name) return row;
    names.emplace_back(row.name);
  }
  throw Error("unknown strategy \"" + excerpt(name) + "\"", "--strategy",
              did_you_mean(name, names));
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, Knowledge knowledge) {
  return strategy_row(name).make(std::move(knowledge));
}

std::optional<double> chance_if_certain(const Strategy& strategy, const SearchSpace& space,
                                        const History& history, const Certainty& certainty) {
  const auto chance = strategy.chance_left(space, history, certainty.share);
  if (!chance || *chance > 1 - certainty.confidence) return std::nullopt;
  return chance;
}

}  // namespace rooftune::search
