// `--transfer`: what a study took from others stays its own, whatever becomes of their records.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::vector<std::string> transferred(const std::string& n, const std::string& budget,
                                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"--kernel", "triad",      "--problem", "n=" + n,       "--budget",
                               budget,     "--counters", "none",      "--no-ablation"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("a study resumes with what it took from others when their records are gone") {
  const User user;
  const Json other = user.tuned(transferred("3000", "12"));
  const Json begun = user.tuned(transferred("2000", "2", {"--transfer"}));
  const Json& transfer = begun.at("transfer");
  REQUIRE(transfer.at("studies").size() == 1);
  CHECK(transfer.at("studies")[0].at("study") == other.at("study").at("id"));
  CHECK(transfer.at("studies")[0].at("trials") == 12);
  const auto& proposals = transfer.at("proposals");
  REQUIRE(proposals.size() >= 2);

  std::filesystem::remove_all(
      user.path("results/records/triad.openmp." + other.at("study").at("id").get<std::string>()));
  const Ran resumed = user.tune(transferred("2000", "4", {"--transfer"}));
  CHECK(resumed.code == 0);
  CHECK(resumed.says("transfer: "));
  const auto trials = user.trials("triad.openmp." + begun.at("study").at("id").get<std::string>());
  REQUIRE(trials.size() == 4);
  // The baseline first, then the proposals in their order, but what was tried.
  std::vector<Json> expected{trials.front()};
  for (const Json& proposal : proposals)
    if (proposal != trials.front() && expected.size() < 4) expected.push_back(proposal);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(trials[i] == expected[i]);
  CHECK(user.tuned(transferred("2000", "4", {"--transfer"})).at("transfer") == transfer);
}
