// The visible table of strategies. To add one: write search/<name>.cpp with a class that implements
// Strategy and a `std::unique_ptr<Strategy> make_<name>()`, then declare that function and add a
// row here. The laws that every row must keep (never a tried configuration, nullopt exactly when
// all were tried, the same proposal for the same space, history and seed) are tested for all rows
// by tests/property/search/strategy_laws.cpp.
#include "search/strategy.h"

namespace rooftune {

std::unique_ptr<Strategy> make_exhaustive();
std::unique_ptr<Strategy> make_local();
std::unique_ptr<Strategy> make_random();

const std::vector<StrategyRow>& strategies() {
  static const std::vector<StrategyRow> table{
      {"exhaustive", "every configuration, in the order of the search space", make_exhaustive},
      {"local", "greedy steps to better neighbours, with restarts when none is left", make_local},
      {"random", "uniform over what was not tried yet", make_random},
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

}  // namespace rooftune
