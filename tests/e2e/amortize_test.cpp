// The cost of converting the data, told apart from the call or shared among calls.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::vector<std::string> amortized(std::vector<std::string> more) {
  std::vector<std::string> all{"--kernel",   "spmv", "--problem",  "kind=laplace2d,n=40",
                               "--budget",   "4",    "--strategy", "random",
                               "--counters", "none"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("conversions are reported, and shared among the calls that --amortize names") {
  const User user;
  const Json apart = user.tuned(amortized({}));
  const Json& best = apart.at("best");
  CHECK(best.at("amortised_seconds") == 0);
  CHECK(best.at("prepare_seconds").get<double>() > 0);

  const Json shared = user.tuned(amortized({"--amortize", "2"}));
  CHECK(shared.at("study").at("amortize") == 2);
  for (const char* who : {"best", "baseline"}) {
    const Json& contender = shared.at(who);
    const double share = contender.at("amortised_seconds").get<double>();
    CHECK(share == Approx(contender.at("prepare_seconds").get<double>() / 2));
    CHECK(contender.at("seconds").at("value").get<double>() > 0);
  }
  // Another objective, another study: the first one's records stay as they are.
  CHECK(shared.at("study").at("id") != apart.at("study").at("id"));
}

TEST_CASE("calls to share a conversion among are a positive number") {
  const User user;
  const Ran ran = user.tune(amortized({"--amortize", "-3"}));
  CHECK(ran.code == 2);
  CHECK(ran.says("--amortize"));
}
