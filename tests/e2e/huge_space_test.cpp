// A kernel whose space is too large to count: tuned, resumed and explained like any other.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

constexpr int knob_count = 30;

/// 10^30 points: pairs that lie far apart are tied.
void write_huge(const User& user) {
  write_rogue(user, "huge", {"well"});
  Json knobs = Json::array(), constraints = Json::array();
  for (int k = 0; k < knob_count; ++k) {
    knobs.push_back({{"name", fmt::format("k{}", k)},
                     {"kind", "compile"},
                     {"values", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
                     {"default", 1},
                     {"breaks", {"ilp"}},
                     {"doc", "does nothing"}});
  }
  for (int k = 0; k < knob_count / 2; ++k)
    constraints.push_back(
        {{"expression", fmt::format("(k{0}*7 + k{1}*3) % 11 < 6 or k{0} == k{1}", k, k + 15)},
         {"reason", "a pair that does not go together"}});
  user.write("huge/huge.openmp.json", Json{{"schema", "rooftune-space-1"},
                                           {"kernel", "huge"},
                                           {"backend", "openmp"},
                                           {"knobs", knobs},
                                           {"constraints", constraints}}
                                          .dump());
}

}  // namespace

TEST_CASE("a kernel whose space cannot be counted is tuned and resumes") {
  const User user;
  write_huge(user);
  const auto words = [](const std::string& budget) {
    return std::vector<std::string>{"--kernel", "./huge", "--budget", budget,          "--counters",
                                    "none",     "--seed", "3",        "--no-staircase"};
  };
  const Json begun = user.tuned(words("4"));
  CHECK(begun.at("space").at("size").get<double>() > 1e20);
  CHECK(begun.at("trials").at("ok") == 4);
  const Json resumed = user.tuned(words("14"));
  CHECK(resumed.at("trials").at("ok") == 14);
  CHECK(resumed.at("study").at("id") == begun.at("study").at("id"));
  std::set<std::string> tried;
  for (const Json& configuration :
       user.trials("huge.openmp." + begun.at("study").at("id").get<std::string>()))
    CHECK(tried.insert(configuration.dump()).second);
  CHECK(tried.size() == 14);
  const Ran explained = user.tune({"explain", "--kernel", "./huge", "best"});
  CHECK(explained.code == 0);
  CHECK(explained.says("k29"));
  const Ran exported = user.tune(
      {"export", "--kernel", "./huge", "--format", "json", "-o", "best.json", "--as-recorded"});
  CHECK(exported.code == 0);
}
