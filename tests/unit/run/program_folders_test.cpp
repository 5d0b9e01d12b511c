// What a program's build and runs meet: kills, a system without room, what earlier runs have left.
#include <fmt/format.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <functional>

#include "script_bench.h"

using namespace rooftune;
using namespace rooftune::testing::scripts;
using Catch::Contains;

namespace {

/// A fault that the same command may not meet again.
ExitCode code_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK_THAT(error.hint(), Contains("the same command goes on"));
    return error.code();
  }
  return ExitCode::ok;
}

}  // namespace

TEST_CASE("a build that is killed is no trial: made again at once, and by the next take") {
  const testing::ScratchFolder state;
  const std::string file = (state.path() / "runs").string();
  Program program = script("echo time: 1");
  program.build = quoted(
      {"sh", "-c", fmt::format("echo run >> {0}; test $(wc -l < {0}) -gt 3 || kill -9 $$", file),
       "{BUILD_DIR}", "{x}"});
  program.command = quoted({"sh", "-c", "echo time: 1", "{y}"});
  ScriptBench bench(program);
  CHECK(code_of([&] { bench.trial(); }) == ExitCode::unavailable);
  CHECK(line_count(file) == 2);
  CHECK(bench.trial().outcome == Outcome::ok);
  CHECK(line_count(file) == 4);
}

TEST_CASE("a run that cannot be started for lack of room is no trial") {
  ScriptBench bench(script("echo time: $1"));
  REQUIRE(bench.trial().outcome == Outcome::ok);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{4, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  const ExitCode code = code_of([&] { bench.trial(); });
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK(code == ExitCode::unavailable);
  CHECK(bench.trial().outcome == Outcome::ok);
}

TEST_CASE("each run in a copy finds it as it was built") {
  const testing::ScratchFolder here;
  here.write("app",
             "[ -e checkpoint ] && echo 'time: 0.001' && exit\n"
             "touch checkpoint; mkdir -p out/deep; touch out/deep/log; echo time: 0.$(cat input)\n"
             "echo 001 > input; rm -f table; echo >> built\n");
  here.write("input", "5\n");
  here.write("table", "kept\n");
  Program program;
  program.build = quoted({"sh", "-c", "cp app built # $0", "{x}"});
  program.command = "sh built {y}";
  program.metric = R"(regex:time: (\S+))";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  std::optional<ScriptBench> bench;
  bench.emplace(program);
  const Trial trial = bench->trial();
  const Rounds rounds = bench->evaluator.race({bench->space.baseline()}, {3, 1});
  std::filesystem::current_path(before);
  CAPTURE(trial.detail);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value == 0.5);
  for (const Sample& one : trial.measurement->samples) CHECK(one.seconds == 0.5);
  REQUIRE(rounds.seconds.size() == 3);
  for (const auto& round : rounds.seconds) CHECK(round[0] == 0.5);
}
