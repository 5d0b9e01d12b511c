#include <catch2/catch.hpp>

#include "search/search_state.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

TEST_CASE("the table of strategies is found by name") {
  CHECK(strategies().size() >= 3);
  for (const auto& row : strategies()) {
    CHECK(make_strategy(row.name));
    CHECK(std::string(row.summary).size() > 10);
    CHECK(strategy_row(row.name).new_state == row.new_state);
  }
  CHECK(make_strategy(default_strategy));
  CHECK_THROWS_WITH(make_strategy("rooflin"), Catch::Contains("did you mean \"roofline\"?"));
  CHECK_THROWS_WITH(make_strategy("none at all"), Catch::Contains("exhaustive, random"));
}

TEST_CASE("exhaustive goes in the order of the space, whatever the baseline is") {
  const SearchSpace s = space_with("line", {knob("x", {1, 2, 3, 4, 5}, 3)});
  History history;
  history.append(timed(s.baseline(), 1));  // as a session does
  search_on(
      *make_strategy("exhaustive"), s, [](const Configuration& c) { return timed(c, 1); }, 1, 99,
      history);
  std::vector<std::int64_t> order;
  for (const auto& trial : history.trials()) order.push_back(trial.configuration.at("x").integer());
  CHECK(order == std::vector<std::int64_t>{3, 1, 2, 4, 5});
}
