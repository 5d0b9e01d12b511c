// Nights of one plan: what became slower fails the sweep, and what was accepted does not.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/file.h"
#include "e2e/rogue.h"
#include "e2e/user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// The kernel of the tutorial, which on another night does everything four times.
void write_kernel(const User& user, bool slower) {
  const auto folder = user.path("code/own");
  std::filesystem::create_directories(folder);
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

std::string git(const User& user, std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", user.path("code").string(), "-c", "user.name=A. Person",
                               "-c", "user.email=person@example.org"});
  std::string said = output_of(user, words);
  return said.substr(0, said.find('\n'));
}

/// Its short hash.
std::string commit(const User& user, const std::string& subject) {
  git(user, {"add", "."});
  git(user, {"commit", "-q", "-m", subject});
  return git(user, {"rev-parse", "--short=12", "HEAD"});
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
  git(user, {"init", "-q"});
  const std::string good = commit(user, "the kernel");
  const auto write_plan = [&](const std::string& more) {
    user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "nights", "threshold": "50%",
    "notify": [["sh", "-c", "echo $ROOFTUNE_SWEEP_STATE >> states; cat > told"]],
    "studies": [{"kernel": "./code/own", "problem": {"n": 20000}, "budget": 2, "threads": 1,
                  "staircase": false, "anchors": false}])" +
                                more + "}");
  };
  write_plan("");
  CHECK(user.tune({"sweep", "plan.json", "--check"}).code == 0);
  CHECK(verdict(user, 0).at("finding") == "first");
  CHECK(user.files("results/baselines", ".so").empty());
  CHECK(user.tune({"sweep", "plan.json", "--dry-run"}).says("measured last in"));

  user.write("code/README", "elsewhere in the repository");
  commit(user, "more words");
  user.write("code/own/openmp.cpp", "this is no C++");
  const std::string broken = commit(user, "broken");
  write_kernel(user, true);
  const std::string bad = commit(user, "four times");
  const Json slower = verdict(user, 1);
  CHECK(slower.at("finding") == "regressed");
  CHECK(slower.at("code").at("low") > 1.0);
  CHECK(slower.at("threshold") == 0.5);
  for (const std::string& named : {std::string("source openmp.cpp"), good, bad})
    CHECK(slower.at("sentence").get<std::string>().find(named) != std::string::npos);

  const auto bisect = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"sweep", "bisect", slower.at("key").get<std::string>()});
    return user.tune(more);
  };
  const Ran found = bisect({});
  INFO(found.output);
  CHECK(found.code == 0);
  CHECK(found.says("more words: the sources and tools of the kept build"));
  CHECK(found.says("broken: skipped: it does not build: openmp.cpp:1:"));
  CHECK(found.says("the first slower commit is " + bad.substr(0, 7)));
  CHECK(found.says("own/openmp.cpp"));
  CHECK(found.says("or it is " + broken.substr(0, 7)));
  CHECK(user.files("code/.git/worktrees", "").empty());
  const Ran nothing = bisect({"--bad", "HEAD~2"});
  CHECK(nothing.code == 1);
  CHECK(nothing.says("nothing to find"));
  for (const auto& [revision, said] : {std::pair{"nowhere", "is no revision of the kernel's"},
                                       std::pair{"HEAD~3", "no commits lead from"}}) {
    const Ran refused = bisect({"--bad", revision});
    CHECK(refused.code == 2);
    CHECK(refused.says(said));
  }
  CHECK(user.tune({"sweep", "bisect", "nothing"}).says("0 baselines begin with"));

  const Ran silent = user.tune({"baseline", "accept", "--kernel", "mykernel"});
  CHECK(silent.code == 2);
  CHECK(silent.says("--why"));
  const Ran accepted = user.tune({"baseline", "accept", "--kernel", "mykernel", "--who",
                                  "A. Person", "--why", "needed four times"});
  INFO(accepted.output);
  REQUIRE(accepted.code == 0);
  write_plan(R"(, "retention": {"older_than": "1ms"})");
  // As fast as what was accepted; that one may take longer than then on a machine of many.
  CHECK(verdict(user, 0).at("finding") != "regressed");
  const Ran shown = user.tune({"baseline", "list"});
  CHECK(shown.says("A. Person: needed four times"));
  CHECK(shown.says("tune sweep: the first of its series"));
  CHECK(read_text(user.path("states")) == "none\nregressed\nnone\n");
  // All records have gone: a baseline is whole without them.
  CHECK(user.files("results/records", ".gz").empty());
  CHECK(user.files("results/records", ".jsonl").empty());
  CHECK(read_text(user.path("told")).starts_with("sweep nights: 1 studies\n"));
}

TEST_CASE("an accepted build comes from the user's cache or not at all") {
  const User user;
  write_kernel(user, false);
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "threshold": "50%",
    "studies": [{"kernel": "./code/own", "problem": {"n": 20000}, "budget": 2, "threads": 1,
                  "staircase": false, "anchors": false}]})");
  CHECK(verdict(user, 0).at("finding") == "first");
  const auto all = user.files("results/baselines", ".json");
  REQUIRE(all.size() == 1);
  // As any member of a group may leave it.
  Json baseline = read_json(all[0]);
  baseline["artefact"] = std::string(32, 'a');
  write_atomically(all[0], baseline.dump());
  write_atomically(all[0].parent_path() / (std::string(32, 'a') + ".so"), "not to be loaded");
  const Json lost = verdict(user, 4);
  CHECK(lost.at("finding") == "inconclusive");
  CHECK(lost.at("sentence").get<std::string>().find("not in this cache") != std::string::npos);
}

TEST_CASE("a plan is checked with all it names before anything is measured") {
  const User user;
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "studies": [
    {"kernel": "triad", "problem": {"m": 3}}, {"name": "b", "kernel": "nothing"},
    {"name": "c", "kernel": "gpp", "backend": "fortran"}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "--check"});
  CHECK(ran.code == 2);
  for (const char* const part : {"triad: ", "b: ", "c: ", "fortran"}) CHECK(ran.says(part));
  CHECK(user.files("results", ".json").empty());
}

TEST_CASE("a plan that others may change runs no commands unless that is allowed") {
  const User user;
  write_rogue(user, "own", {"well"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "studies": [{"kernel": "./own"}],
    "notify": [["touch", "notified"]]})");
  const auto checked = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"sweep", "plan.json", "--check"};
    words.insert(words.end(), more.begin(), more.end());
    return user.tune(words);
  };
  CHECK(checked({}).code == 0);
  for (const char* place : {"plan.json", "."}) {
    using std::filesystem::perms;
    std::filesystem::permissions(user.path(place), perms::others_write,
                                 std::filesystem::perm_options::add);
    const Ran refused = checked({});
    CHECK(refused.code == 2);
    CHECK(refused.says("and the plan's commands would run as you"));
    CHECK(refused.says("--allow-commands"));
    CHECK(checked({"--allow-commands"}).code == 0);
    std::filesystem::permissions(user.path(place), perms::others_write,
                                 std::filesystem::perm_options::remove);
  }
}
