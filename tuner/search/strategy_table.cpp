// The visible table of strategies. To add one: write search/<name>.cpp with a class that implements
// Strategy and a `std::unique_ptr<Strategy> make_<name>()`, then declare that function and add a
// row here. The laws that every row must keep (never a tried configuration, nullopt exactly when
// all were tried, the same proposal for the same space, history and seed) are tested for all rows
// by tests/property/search/strategy_laws.cpp.
#include "search/knowledge.h"
#include "search/strategy.h"

namespace rooftune {

std::unique_ptr<Strategy> make_annealing();
std::unique_ptr<Strategy> make_bandit();
std::unique_ptr<Strategy> make_bayes_forest();
std::unique_ptr<Strategy> make_bayes_gp();
std::unique_ptr<Strategy> make_differential();
std::unique_ptr<Strategy> make_exhaustive();
std::unique_ptr<Strategy> make_first_improvement();
std::unique_ptr<Strategy> make_genetic();
std::unique_ptr<Strategy> make_greedy();
std::unique_ptr<Strategy> make_iterated();
std::unique_ptr<Strategy> make_lhs();
std::unique_ptr<Strategy> make_local();
std::unique_ptr<Strategy> make_random();
std::unique_ptr<Strategy> make_roofline();
std::unique_ptr<Strategy> make_swarm();

const std::vector<StrategyRow>& strategies() {
  static const std::vector<StrategyRow> table{
      {"annealing", "simulated annealing on neighbours, reheated when frozen", make_annealing},
      {"bandit", "chooses among four cheap searches by what they improved lately", make_bandit},
      {"bayes_forest", "Bayesian optimisation: random forest, expected improvement",
       make_bayes_forest},
      {"bayes_gp", "Bayesian optimisation: Gaussian process, expected improvement", make_bayes_gp},
      {"differential", "differential evolution on value numbers", make_differential},
      {"exhaustive", "every configuration, in the order of the search space", make_exhaustive},
      {"first_improvement", "local search: the first better neighbour; restarts anywhere",
       make_first_improvement},
      {"genetic", "steady-state genetic algorithm on the 20 fastest", make_genetic},
      {"greedy", "local search: the best of all neighbours; restarts anywhere", make_greedy},
      {"iterated", "local search: the first better neighbour; restarts near the best minimum",
       make_iterated},
      {"lhs", "Latin hypercube over the allowed configurations", make_lhs},
      {"local", "greedy steps to better neighbours, with restarts when none is left", make_local},
      {"random", "uniform over what was not tried yet", make_random},
      {"roofline", "model of the time; transfer, bounds and the binding ceiling come first",
       make_roofline},
      {"swarm", "particle swarm on value numbers", make_swarm},
  };
  return table;
}

std::unique_ptr<Strategy> make_strategy(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& row : strategies()) {
    if (name == row.name) return row.make();
    names.push_back(row.name);
  }
  std::string all;
  for (const auto& known : names) all += (all.empty() ? "" : ", ") + known;
  throw Error("unknown strategy \"" + name + "\"", "--strategy", "one of: " + all);
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, Knowledge knowledge) {
  if (name == "roofline") return make_roofline(std::move(knowledge));
  return make_strategy(name);
}

}  // namespace rooftune
