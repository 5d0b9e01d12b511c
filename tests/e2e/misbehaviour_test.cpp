// Variants that crash, lie, hang, print or eat memory are outcomes; users' mistakes are clear
// errors.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("every kind of misbehaviour is recorded and the run goes on") {
  const User user;
  write_rogue(
      user, "rogue",
      {"well", "wrong", "after", "input", "segfault", "divide", "print", "leave", "syntax"});
  const Json result =
      user.tuned({"--kernel", "./rogue", "--strategy", "exhaustive", "--budget", "20"});
  const Json& trials = result.at("trials");
  CHECK(trials.at("wrong_result") == 3);  // wrong, after, input
  CHECK(trials.at("crashed") == 3);       // segfault, divide, leave
  CHECK(trials.at("build_failed") == 1);
  CHECK(trials.at("ok") == 2);  // well, print
  CHECK(result.at("stop").at("reason") == "exhausted");
  CHECK(result.at("best").at("configuration").at("mode") == "well");
}

// Insertion of elements that lie in order already costs next to nothing.
TEST_CASE("a kernel that updates its input in place is tuned on fresh data") {
  const User user;
  user.write("sort/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "sort", "title": "sort",
    "parameters": [{"name": "n", "type": "integer", "default": 3000}],
    "arguments": [
      {"name": "n", "type": "int64", "value": "n"},
      {"name": "insertion", "type": "int64", "value": "insertion"},
      {"name": "x", "type": "double*", "count": "n", "access": "update",
       "fill": {"kind": "uniform", "low": 0, "high": 1, "seed": 7}}],
    "work": {"least": {}, "items": "n", "item": "element"},
    "traffic": {"read": "8*n", "write": "8*n", "footprint": "8*n"},
    "reference": "sort.cpp", "backends": {"openmp": {"source": "sort.cpp"}}})");
  user.write("sort/sort.openmp.json", R"({"schema": "rooftune-space-1", "kernel": "sort",
    "backend": "openmp", "knobs": [{"name": "insertion", "kind": "argument", "values": [0, 1],
    "default": 0, "breaks": ["ilp"]}]})");
  user.write("sort/sort.cpp", R"(
#include <algorithm>
void sort(std::int64_t n, std::int64_t insertion, double* x) {
  if (!insertion) return std::sort(x, x + n);
  for (std::int64_t i = 1; i < n; ++i)
    std::rotate(std::upper_bound(x, x + i, x[i]), x + i, x + i + 1);
})");
  const Json fresh = user.tuned({"--kernel", "./sort", "--budget", "2"});
  CHECK(fresh.at("trials").at("ok") == 2);
  CHECK(fresh.at("best").at("configuration").at("insertion") == 0);
}

TEST_CASE("a variant that removes the files of its study ends itself only") {
  const User user;
  write_rogue(user, "rogue", {"well", "remove", "late"});
  const Json result =
      user.tuned({"--kernel", "./rogue", "--strategy", "exhaustive", "--budget", "9"});
  CHECK(result.at("trials").at("crashed") == 1);
  CHECK(result.at("trials").at("ok") == 2);
}

TEST_CASE("a variant that never returns is ended and nothing of it stays") {
  const User user;
  write_rogue(user, "hanger", {"well", "hang"});
  const Json result = user.tuned({"--kernel", "./hanger", "--strategy", "exhaustive"});
  CHECK(result.at("trials").at("timed_out") == 1);
  CHECK(processes(user).empty());
}

TEST_CASE("variants that fork, leave their session and eat memory cost a sweep their trials only") {
  const User user;
  write_rogue(user, "rogue", {"well", "allocate", "daemon"});
  write_rogue(user, "good", {"well"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "watch": false,
    "defaults": {"budget": 4, "strategy": "exhaustive"},
    "studies": [{"kernel": "./rogue"}, {"kernel": "./good"}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "-q", "--json", "night.json"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  const Json night = read_json(user.path("night.json"));
  REQUIRE(night.at("studies").size() == 2);
  for (const Json& study : night.at("studies")) CHECK(study.at("state") == "done");
  CHECK(processes(user).empty());
  const Ran report = user.tune({"report", "--kernel", "rogue", "-v"});
  INFO(report.output);
  CHECK((report.says("1 out of memory") || report.says("1 timed out")));
}

TEST_CASE("a kernel whose every variant is wrong ends with exit code 1 and says why") {
  const User user;
  write_rogue(user, "liar", {"wrong"});
  const Ran ran = user.tune({"--kernel", "./liar"});
  CHECK(ran.code == 1);
  CHECK(ran.says("wrong_result"));
  const Ran check = user.tune({"check", "./liar"});
  CHECK(check.code == 1);
  CHECK(check.says("FAILED"));
}

TEST_CASE("tune check accepts a kernel that behaves and names every fault of one that does not") {
  const User user;
  write_rogue(user, "good", {"well"});
  const Ran good = user.tune({"check", "./good"});
  CHECK(good.code == 0);
  CHECK(good.says("agrees with the reference"));
  user.write("bad/kernel.json", R"({"schema": "rooftune-kernel-1", "name": "bad", "argments": [],
    "reference": "none.cpp", "backends": {}})");
  const Ran bad = user.tune({"check", "./bad"});
  CHECK(bad.code == 2);
  CHECK(bad.says("did you mean \"arguments\""));
  CHECK(bad.says("none.cpp"));
}

TEST_CASE("another machine is refused with the way out") {
  const User user;
  std::string other = read_text(user.path("machines/host.json"));
  const std::string cpu = read_json(user.path("machines/host.json")).at("identity").at("cpu");
  other.replace(other.find(cpu), cpu.size(), "Cray-1");
  other.replace(other.find("\"host\""), 6, "\"cray\"");
  user.write("machines/cray.json", other);
  const Ran ran = user.tune({"--kernel", "triad", "--machine", "cray"});
  CHECK(ran.code == 3);
  CHECK(ran.says("Cray-1"));
  CHECK(ran.says(cpu));
  CHECK(ran.says("tune probe --machine NAME"));
}

TEST_CASE("mistakes on the command line and in files are named with their cure") {
  const User user;
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  user.write("short.mtx",
             "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1.0\n2 2 1.0\n");
  user.write("range.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n4 1 1.0\n");
  user.write("text.mtx", "hello\n");
  user.write("machines/odd.json", R"({"schema": "rooftune-machine-1", "name": "odd", "ceilings": [
    {"name": "x", "kind": "bandwidth", "level": "DRAM", "rate": {"value": 3, "unit": "KB/s"}}]})");
  user.write("broken.json", R"({"schema": )");
  const std::vector<Case> cases{
      {{"--kernel", "triade"}, "did you mean triad?"},
      {{"--kernel", "triad", "--problem", "m=3"}, "it has n, s"},
      {{"--kernel", "triad", "--problem", "n=-3"}, "n"},
      {{"--kernel", "triad", "--problem", "n=many"}, "many"},
      {{"--kernel", "triad", "--problem", "n"}, "name=value"},
      {{"--kernel", "triad", "--problem", "n=4e9"}, "machine has"},
      {{"--kernel", "triad", "--backend", "cuda"}, "is a CPU"},
      {{"--kernel", "triad", "--strategy", "rooflin"}, "roofline"},
      {{"--kernel", "triad", "--budget", "soon"}, "--budget"},
      {{"--kernel", "triad", "--budget", "0"}, "above 0"},
      {{"--kernel", "triad", "--threads", "60000"}, "usable cores"},
      {{"--kernel", "triad", "--threads", "100000"}, "0 to 65536"},
      {{"--kernel", "triad", "--machine", "odd"}, "KB/s"},
      {{"--kernel", "triad", "--machine", "nowhere"}, "unknown machine"},
      {{"--kernel", "spmv", "--problem", "matrix=short.mtx"}, "short.mtx"},
      {{"--kernel", "spmv", "--problem", "matrix=range.mtx"}, "range.mtx:3"},
      {{"--kernel", "spmv", "--problem", "matrix=text.mtx"}, "text.mtx:1"},
      {{"--kernel", "spmv", "--problem", "matrix=absent.mtx"}, "absent.mtx"},
      {{"sweep", "broken.json"}, "broken.json:1"},
      {{"frobnicate"}, "--help"},
  };
  for (const Case& one : cases) {
    const Ran ran = user.tune(one.words);
    INFO(one.words.front() << " ... " << one.words.back() << "\n" << ran.output);
    CHECK(ran.code == 2);
    CHECK(ran.says(one.says));
    CHECK_FALSE(ran.says("internal error"));
  }
}

TEST_CASE("a results directory that cannot be written is refused before anything is measured") {
  const User user;
  user.write("file", "not a directory\n");
  const Ran ran = user.tune({"--kernel", "triad", "--problem", "n=100", "--budget", "2",
                             "--results", user.path("file").string()});
  CHECK(ran.code == 74);
  CHECK(ran.says("file"));
}

TEST_CASE(
    "a compiler that is missing or broken is told apart from a variant that does not compile") {
  const User user;
  const Ran missing = user.tune({"--kernel", "triad", "--problem", "n=100", "--budget", "2"},
                                {{"ROOFTUNE_CXX", "/nowhere/g++"}});
  CHECK(missing.code != 0);
  CHECK(missing.says("/nowhere/g++"));
  user.write("broken-cxx",
             "#!/bin/sh\n[ \"$1\" = --version ] && echo broken 1.0 && exit 0\necho 'no luck: "
             "error: broken' >&2\nexit 1\n");
  std::filesystem::permissions(user.path("broken-cxx"), std::filesystem::perms::owner_all);
  const Ran broken = user.tune({"--kernel", "triad", "--problem", "n=100", "--budget", "2"},
                               {{"ROOFTUNE_CXX", user.path("broken-cxx").string()}});
  CHECK(broken.code != 0);
  CHECK(broken.says("broken"));
}

TEST_CASE("what failed is in the answer, on the terminal, the page and in JSON") {
  const User user;
  write_rogue(user, "half", {"well", "wrong", "input", "descriptors"});
  const Ran ran = user.tune({"--kernel", "./half", "--strategy", "exhaustive", "--json", "a.json"});
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(ran.says("of 4 configurations failed"));
  CHECK(ran.says("tune explain"));
  for (const auto& file : {user.path("a.json"), user.files("results/reports", ".html").at(0)})
    CHECK(read_text(file).find("2 wrong results (mode=input, wrong)") != std::string::npos);
}

TEST_CASE("a compiler that is killed costs no trial, and the next run goes on") {
  const User user;
  write_rogue(user, "good", {"well", "late", "slow"});
  auto environment = installed(user, "g++-ill", R"sh(#!/bin/sh
home=$(dirname "$0")/..
case "$*" in *shim.cpp*)
  if [ -e "$home/once" ]; then rm "$home/once"; kill -9 $$; fi
  [ -e "$home/ill" ] && kill -9 $$
  [ -e "$home/greedy" ] && case "$*" in *-DKNOB_MODE=KNOB_MODE_SLOW*) kill -9 $$;; esac;;
esac
exec g++ "$@"
)sh");
  environment["ROOFTUNE_CXX"] = "g++-ill";
  const auto tune = [&](const char* budget) {
    return user.tune({"--kernel", "./good", "--strategy", "exhaustive", "--budget", budget,
                      "--builders", "1", "--no-staircase"},
                     environment);
  };
  const Ran first = tune("1");
  INFO(first.output);
  REQUIRE(first.code == 0);
  user.write("ill", "");
  const Ran ill = tune("3");
  INFO(ill.output);
  CHECK(ill.code == 3);
  CHECK(ill.says("not even the baseline"));
  CHECK(ill.says("the same command goes on"));
  const std::string study = user.files("results/records", ".jsonl").at(0).parent_path().filename();
  CHECK(user.trials(study).size() == 1);
  std::filesystem::remove(user.path("ill"));
  user.write("greedy", "");
  const Ran greedy = tune("3");
  INFO(greedy.output);
  CHECK(greedy.code == 3);
  CHECK(greedy.says("killed, twice, at mode=slow, and builds the baseline"));
  CHECK(user.trials(study).size() == 2);
  std::filesystem::remove(user.path("greedy"));
  user.write("once", "");
  const Ran well = tune("3");
  INFO(well.output);
  CHECK(well.code == 0);
  CHECK_FALSE(well.says("failed:"));
  CHECK(user.trials(study).size() == 3);
}
