// Nights of one plan: what became slower fails the sweep, and what was accepted does not.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/file.h"
#include "e2e/user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The kernel of the tutorial, which on another night does everything four times.
void write_kernel(const User& user, bool slower) {
  const auto folder = user.path("own");
  std::filesystem::copy(
      ROOFTUNE_SOURCE_DIR "/docs/examples/mykernel", folder,
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  std::string source = read_text(folder / "openmp.cpp");
  const std::string body = "#pragma omp parallel";
  REQUIRE(source.find(body) != std::string::npos);
  if (slower)
    source.replace(source.find(body), body.size(),
                   "for (volatile int again = 0; again < 4; again = again + 1)\n" + body);
  write_atomically(folder / "openmp.cpp", source);
}

Json verdict(const User& user, int code) {
  const Ran ran = user.tune({"sweep", "plan.json", "-q", "--json", "night.json"});
  INFO(ran.output);
  REQUIRE(ran.code == code);
  return read_json(user.path("night.json")).at("studies").at(0).at("verdict");
}

}  // namespace

TEST_CASE("a kernel that became slower fails the night, until that is accepted") {
  const User user;
  write_kernel(user, false);
  user.write("plan.json",
             R"({"schema": "rooftune-sweep-1", "name": "nights", "threshold": "50%",
    "notify": [["sh", "-c", "echo $ROOFTUNE_SWEEP_STATE >> states"]],
    "studies": [{"kernel": "./own", "problem": {"n": 20000}, "budget": 2, "threads": 1}]})");
  CHECK(user.tune({"sweep", "plan.json", "--check"}).code == 0);
  CHECK(verdict(user, 0).at("finding") == "first");
  CHECK(user.tune({"sweep", "plan.json", "--dry-run"}).says("measured last in"));

  write_kernel(user, true);
  const Json slower = verdict(user, 1);
  CHECK(slower.at("finding") == "regressed");
  CHECK(slower.at("ratio").at("low") > 1.0);
  CHECK(slower.at("sentence").get<std::string>().find("source openmp.cpp") != std::string::npos);
  CHECK(user.tune({"sweep", "status"}).says("ended: regressed"));

  const Ran silent = user.tune({"baseline", "accept", "--kernel", "mykernel"});
  CHECK(silent.code == 2);
  CHECK(silent.says("--why"));
  const Ran accepted = user.tune({"baseline", "accept", "--kernel", "mykernel", "--who",
                                  "A. Person", "--why", "needed four times"});
  INFO(accepted.output);
  REQUIRE(accepted.code == 0);
  // As fast as what was accepted; that one may take longer than then on a machine of many.
  CHECK(verdict(user, 0).at("finding") != "regressed");
  const Ran shown = user.tune({"baseline", "show"});
  CHECK(shown.says("A. Person: needed four times"));
  CHECK(shown.says("tune sweep: the first of its series"));
  CHECK(read_text(user.path("states")) == "none\nregressed\nnone\n");
}

TEST_CASE("a plan is checked with all it names before anything is measured") {
  const User user;
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "ceilings": ["no such"], "studies": [
    {"kernel": "triad", "problem": {"m": 3}}, {"name": "b", "kernel": "nothing"},
    {"name": "c", "kernel": "gpp", "backend": "fortran"}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "--check"});
  CHECK(ran.code == 2);
  for (const char* const part : {"triad: ", "b: ", "c: ", "fortran", "\"no such\""})
    CHECK(ran.says(part));
  CHECK(user.files("results", ".json").empty());
}
