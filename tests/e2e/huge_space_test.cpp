// A kernel whose space is too large to count.
#include <fmt/format.h>

#include <catch2/catch.hpp>

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

TEST_CASE("a space of 2^64 configurations and more is refused with the cure") {
  const User user;
  write_huge(user);
  const Ran ran = user.tune({"--kernel", "./huge", "--budget", "4", "--counters", "none"});
  CHECK(ran.code == 2);
  CHECK(ran.says("the space has 2^64 configurations or more"));
  CHECK(ran.says("fewer knobs or values, or a constraint"));
}
