#include <catch2/catch.hpp>

#include "core/error.h"
#include "space/search_space.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using test::knob;

namespace {

/// As a file would be read for a problem: the facts choose values, defaults and constraints.
SearchSpace of(const Facts& facts, std::vector<Value> blocks, Value fallback,
               const std::string& active = {}) {
  return SearchSpace("s",
                     {knob("block", std::move(blocks), std::move(fallback)),
                      knob("form", {"csr", "n"}, "csr"), knob("depth", {1, 2, 4}, 1, active)},
                     {{Expression::parse("block <= n or form == 'n'"), "no larger than n"}}, facts);
}

}  // namespace

TEST_CASE("the common space of several problems allows what each of them allows") {
  const std::vector<Facts> facts{{{"n", 4}}, {{"n", 8}}, {{"n", 2}}};
  const std::vector<SearchSpace> spaces{of(facts[0], {1, 2, 4, 8}, 4), of(facts[1], {1, 2, 4}, 2),
                                        of(facts[2], {1, 2, 4}, 1)};
  const SearchSpace common = common_space(spaces, facts);
  CHECK(common.knobs()[0].values == std::vector<Value>{1, 2, 4});
  std::uint64_t allowed = 0;
  for (const int block : {1, 2, 4})
    for (const char* form : {"csr", "n"})
      for (const int depth : {1, 2, 4}) {
        Configuration configuration;
        configuration.set("block", block);
        configuration.set("form", form);
        configuration.set("depth", depth);
        bool all = true;
        for (const SearchSpace& space : spaces) all = all && space.allowed(configuration);
        CHECK(common.allowed(configuration) == all);
        allowed += all ? 1 : 0;
      }
  CHECK(common.size() == allowed);
  CHECK(common.baseline().at("block") == Value(2));
  Configuration large = common.baseline();
  large.set("block", 4);
  CHECK(common.why_not(large).find("input 3") != std::string::npos);
}

TEST_CASE("the defaults are those of the first problem whose defaults all allow") {
  const std::vector<Facts> facts{{{"n", 8}}, {{"n", 8}}};
  const std::vector<SearchSpace> spaces{of(facts[0], {1, 2, 8}, 8), of(facts[1], {1, 2}, 2)};
  CHECK(common_space(spaces, facts).baseline().at("block") == Value(2));
  CHECK(common_space({spaces[0]}, {facts[0]}).baseline().at("block") == Value(8));
}

TEST_CASE("problems without a common space are refused") {
  const std::vector<Facts> facts{{{"n", 8}}, {{"n", 4}}};
  CHECK_THROWS_WITH(common_space({of(facts[0], {8}, 8), of(facts[1], {1, 2}, 2)}, facts),
                    Catch::Contains("knob block has no value"));
  CHECK_THROWS_WITH(
      common_space({of(facts[0], {1, 2}, 1, "n > 4"), of(facts[1], {1}, 1, "n > 4")}, facts),
      Catch::Contains("whether knob depth is active"));
}
