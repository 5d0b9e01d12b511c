// Budgets as people write them.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "study/spec.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("a budget has any of three limits") {
  CHECK(parse_budget("40") == Budget{.evaluations = 40});
  CHECK(parse_budget("90s") == Budget{.time = Seconds(90)});
  CHECK(parse_budget("device=5min") == Budget{.device = Seconds(300)});
  CHECK(parse_budget("200,10min,device=1h") ==
        Budget{.evaluations = 200, .time = Seconds(600), .device = Seconds(3600)});
}

TEST_CASE("what is no budget says what would be") {
  for (const char* const text :
       {"", "soon", "0", "-3s", "0s", "40,", "device=", "device=0s", "99999999999999999999999"}) {
    INFO(text);
    CHECK_THROWS_WITH(parse_budget(text), Contains("--budget") && Contains("for example 40"));
  }
  CHECK_THROWS_WITH(parse_budget("10m"), Contains("did you mean 10min?"));
  CHECK_THROWS_WITH(parse_budget("40,50"), Contains("\"50\" limits what was limited before"));
  CHECK_THROWS_WITH(parse_budget("1s,1min"), Contains("once each"));
}

TEST_CASE("short runs are not worth checks around them") {
  CHECK(worth_checks({}));
  CHECK(worth_checks({.evaluations = 16}));
  CHECK_FALSE(worth_checks({.evaluations = 15}));
  CHECK(worth_checks({.time = Seconds(20)}));
  CHECK_FALSE(worth_checks({.time = Seconds(19)}));
  CHECK_FALSE(worth_checks({.evaluations = 100, .time = Seconds(5)}));
}
