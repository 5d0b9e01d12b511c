// Laws of strategies on a space that is too large to be counted.
#include <catch2/catch.hpp>
#include <set>

#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

/// 10^30 points; neighbours in the chain have a product of at most 30.
SearchSpace chain() {
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;
  const std::vector<Value> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (int k = 0; k < 30; ++k) {
    knobs.push_back(knob("k" + std::to_string(k), values, 1));
    if (k > 0)
      constraints.push_back("k" + std::to_string(k - 1) + "*k" + std::to_string(k) + " <= 30");
  }
  return space_with("chain", std::move(knobs), constraints);
}

}  // namespace

TEST_CASE("strategies search a space that is too large to be counted") {
  const SearchSpace space = chain();
  REQUIRE_FALSE(space.counted());
  for (const auto& row : strategies()) {
    INFO(row.name);
    const auto strategy = row.make();
    History history;
    if (std::string(row.name) == "exhaustive") {
      Rng rng(1, 0);
      CHECK_THROWS_WITH(strategy->propose(space, history, rng),
                        Catch::Contains("not counted") && Catch::Contains("2^64"));
      continue;
    }
    constexpr std::size_t trial_count = 30;
    search_on(*strategy, space, rugged(1), 1, trial_count, history);
    REQUIRE(history.size() == trial_count);
    const auto all = keys(history);
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == trial_count);
    for (const Trial& trial : history.trials()) REQUIRE(space.allowed(trial.configuration));
    // Resumed in the middle by another process: a space and a strategy that know nothing yet.
    const SearchSpace again = chain();
    History resumed;
    for (std::size_t i = 0; i < trial_count / 2; ++i) resumed.append(history.trials()[i]);
    search_on(*row.make(), again, rugged(1), 1, trial_count - trial_count / 2, resumed);
    CHECK(keys(resumed) == all);
  }
}
