// What a study starts from: taken from others by default, its own from then on, whatever becomes of
// their records.
#include <catch2/catch.hpp>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::vector<std::string> transferred(const std::string& n, const std::string& budget,
                                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> all{"--kernel",   "triad", "--problem",     "n=" + n,
                               "--budget",   budget,  "--counters",    "none",
                               "--builders", "1",     "--no-staircase"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace

TEST_CASE("a study resumes with what it took from others when their records are gone") {
  const User user;
  const Json other = user.tuned(transferred("3000", "12"));
  CHECK(other.at("transfer").is_null());
  const Json begun = user.tuned(transferred("2000", "2"));
  const Json& transfer = begun.at("transfer");
  REQUIRE(transfer.at("studies").size() == 1);
  CHECK(transfer.at("studies")[0].at("study") == other.at("study").at("id"));
  CHECK(transfer.at("studies")[0].at("trials") == 12);
  const auto& proposals = transfer.at("proposals");
  REQUIRE(proposals.size() >= 2);

  std::filesystem::remove_all(
      user.path("results/records/triad.openmp." + other.at("study").at("id").get<std::string>()));
  const Ran resumed = user.tune(transferred("2000", "4"));
  CHECK(resumed.code == 0);
  CHECK(resumed.says("started from the best known: "));
  const auto trials = user.trials("triad.openmp." + begun.at("study").at("id").get<std::string>());
  REQUIRE(trials.size() == 4);
  // The baseline first, then the proposals in their order, two at least.
  CHECK(trials[1] == proposals[0]);
  CHECK(trials[2] == proposals[1]);
  CHECK(user.tuned(transferred("2000", "4")).at("transfer") == transfer);
  CHECK(user.tuned(transferred("4000", "1", {"--no-transfer"})).at("transfer").is_null());
  const Ran gone = user.tune(transferred("4000", "1", {"--transfer"}));
  CHECK(gone.code == 2);
  CHECK(gone.says("unknown option \"--transfer\""));
}

TEST_CASE("what is exported as best known is where a study elsewhere starts") {
  const User user;
  user.tuned(transferred("3000", "8"));
  const std::string file = user.path("best_known/triad.openmp.json").string();
  const std::vector<std::string> words{"export",     "--kernel", "triad", "--format",
                                       "best-known", "-o",       file,    "--as-recorded"};
  CHECK(user.tune(words).code == 0);
  CHECK(user.tune(words).code == 0);
  const Json known = read_json(file);
  REQUIRE(known.at("entries").size() == 1);
  CHECK(known.at("entries")[0].at("problem").at("n") == 3000);

  // Whatever was best here, by chance perhaps the baseline: another study starts from what it says.
  Json shipped = known;
  shipped["entries"][0]["configuration"] = {{"unroll", 4}};
  user.write("best_known/triad.openmp.json", shipped.dump(1));
  const Json study =
      user.tuned(transferred("2000", "2", {"--results", user.path("elsewhere").string()}));
  CHECK(study.at("transfer").at("studies")[0].at("study") == "triad.openmp.json");
  CHECK(study.at("transfer").at("proposals")[0].at("unroll") == 4);

  user.write("best_known/triad.openmp.json", "{\"schema\": \"rooftune-best-known-1\"}");
  const Ran broken =
      user.tune(transferred("2000", "2", {"--results", user.path("third").string()}));
  CHECK(broken.code == 2);
  CHECK(broken.says("triad.openmp.json"));
}
