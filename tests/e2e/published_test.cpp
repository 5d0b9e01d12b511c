// The literature's steps from the command line to the staircase in every output.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("the published path runs in order and its staircase is in JSON, page and terminal") {
  const User user;
  const std::vector<std::string> words{"--kernel",  "euler",  "--path",   "published",
                                       "--problem", "n=4000", "--budget", "6"};
  const Json result = user.tuned(words);
  const Json& steps = result.at("staircase").at("steps");
  REQUIRE(steps.size() >= 2);
  // A race ends with the fewest rounds that decide, where no machine disturbs it.
  CHECK(result.at("staircase").at("rounds").get<int>() >= 3);
  std::int64_t last = -1;
  for (const Json& step : steps) {
    INFO(step.dump());
    if (!step.value("absent", "").empty()) continue;
    CHECK(step.at("seconds").at("value").get<double>() > 0);
    CHECK(step.at("trial").get<std::int64_t>() > last);
    last = step.at("trial").get<std::int64_t>();
  }
  CHECK(result.at("problem").at("n") == 4000);
  const Ran again = user.tune(words);
  CHECK(again.code == 0);
  const std::string title = result.at("staircase").at("title");
  CHECK_FALSE(title.empty());
  CHECK(again.says(title));
}

TEST_CASE("a kernel without a published path says which have one") {
  const User user;
  const Ran ran = user.tune({"--kernel", "triad", "--path", "published"});
  INFO(ran.output);
  CHECK(ran.code == 2);
  CHECK(ran.says("kernel triad has no published path for back end openmp"));
  CHECK(ran.says("euler (openmp)"));
}
