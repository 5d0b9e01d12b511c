// Programs as shell scripts whose figures are formulas of their words.
#include "run/command_evaluator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "core/hash.h"
#include "script_bench.h"
#include "support/busy_core.h"
#include "support/environment_variable.h"

using namespace rooftune;
using namespace rooftune::testing::scripts;
using Catch::Contains;
using Texts = std::vector<std::string>;

namespace {

std::string command_fault(const Program& program, const SearchSpace& space = x_and_y(),
                          const Facts& problem = {}) {
  try {
    ScriptBench(program, space, problem);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a run's figure is the trial's time, and its words are the knobs' values") {
  ScriptBench bench(script(R"(echo "time: $1"; test "$2" = "a b")"));
  const Trial trial = bench.trial();
  INFO(trial.detail);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value == 1);
  CHECK(trial.measurement->samples.size() >= 5);
  const Trial other = bench.evaluator.evaluate(with(bench.space, "y", "c"), 1.0);
  CHECK(other.outcome == Outcome::crashed);
  CHECK_THAT(other.detail, Contains("exit code 1") && Contains("time: 1"));
}

TEST_CASE(
    "further figures of a trial are the medians of its runs, and one that is absent is told") {
  Program program =
      script(R"(echo run >> runs; echo "time: $1"; echo "runs $(wc -l < runs), energy 7.5J")");
  program.figures = {{"energy", "min:regex:energy (\\S+)"}, {"runs", "regex:runs (\\d+)"}};
  const testing::ScratchFolder here;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  const Trial trial = ScriptBench(program).trial();
  auto absent = program;
  absent.figures["absent"] = "regex:absent (\\S+)";
  CHECK_THROWS_WITH(ScriptBench(absent).trial(), Contains("no figure absent"));
  std::filesystem::current_path(before);
  REQUIRE(trial.ok());
  // The first run warms up.
  const double runs = static_cast<double>(trial.measurement->samples.size());
  CHECK(trial.measurement->figures == Figures{{"energy", 7.5}, {"runs", 2 + (runs - 1) / 2}});
  CHECK(decoded<Trial>(encode(trial), "record").measurement->figures == trial.measurement->figures);
}

TEST_CASE("without a figure to read, the time is that of the run") {
  Program program;
  program.command = "sleep 0.{x}{y}";
  ScriptBench bench(program, SearchSpace("program", {knob("x", {0}), knob("y", {"2"})}, {}, {}));
  const Trial trial = bench.trial();
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value >= 0.02);
  CHECK(trial.cost.total >= trial.cost.time);
}

TEST_CASE("beside a busy process a program's times are intervals, and its other figures are not") {
  const testing::BusyCore core;
  Program program = script("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo points: 7");
  // A time that is the same in every run holds none of their waits.
  const std::pair<const char*, const char*> metrics[] = {
      {"wall", "s"}, {R"(max:regex:points: (\S+))", "points"}, {R"(regex:points: (\S+))", "s"}};
  for (const auto& [metric, unit] : metrics) {
    const bool is_time = metric == std::string("wall");
    program.metric = metric;
    program.unit = unit;
    ScriptBench bench(program);
    const Trial trial = bench.trial();
    REQUIRE(trial.ok());
    REQUIRE(bench.evaluator.evaluate(with(bench.space, "x", 2), {}).ok());
    const Rounds rounds =
        bench.evaluator.race({bench.space.baseline(), with(bench.space, "x", 2)}, {3, 1});
    REQUIRE(rounds.fault.empty());
    const bool counted = is_time && first_thread(getpid());
    const auto& samples = trial.measurement->samples;
    CHECK((counted ? std::ranges::none_of(samples, &Sample::clean)
                   : std::ranges::all_of(samples, &Sample::clean)));
    CHECK(rounds.disturbed.empty() == !counted);
    for (const DisturbedSample& one : rounds.disturbed) CHECK(one.lost > 0.02);
  }
}

TEST_CASE("who is clearly slower than the best runs once more than it warms up") {
  ScriptBench bench(script(R"(echo run >> runs; echo "time: $1")"));
  const testing::ScratchFolder here;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  const Trial trial = bench.trial(0.1);
  std::filesystem::current_path(before);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->samples.size() == 1);
  CHECK(line_count(here.path() / "runs") == 2);
}

TEST_CASE("what fails a check is a wrong result with its reason, never a time") {
  Program program = script(R"(echo "time: $1"; test "$1" = 1 && echo fine)");
  program.command =
      quoted({"sh", "-c", "echo \"time: $1\"; case $1 in 1) echo fine;; esac", "sh", "{x}", "{y}"});
  program.check = "regex:^fine$";
  ScriptBench by_pattern(program);
  CHECK(by_pattern.trial().ok());
  const Trial wrong = by_pattern.evaluator.evaluate(with(by_pattern.space, "x", 2), 1.0);
  CHECK(wrong.outcome == Outcome::wrong_result);
  CHECK_THAT(wrong.detail, Contains("regex:^fine$"));

  program.check = "command:test {x} -lt 3";
  ScriptBench by_command(program);
  CHECK(by_command.trial().ok());
  const Trial refused = by_command.evaluator.evaluate(with(by_command.space, "x", 3), 1.0);
  CHECK(refused.outcome == Outcome::wrong_result);
  CHECK_THAT(refused.detail, Contains("the check ended with exit code 1"));
  const Rounds rounds = by_command.evaluator.race(
      {by_command.space.baseline(), with(by_command.space, "x", 3)}, {3, 1});
  REQUIRE(rounds.refuted.size() == 1);
  CHECK(rounds.refuted[0].configuration == with(by_command.space, "x", 3));
  CHECK(rounds.seconds.empty());
}

TEST_CASE("a run over its limit is ended and is no time") {
  Program program = script("sleep 100 & wait");
  program.run_limit = {0.2};
  const Trial trial = ScriptBench(program).trial();
  CHECK(trial.outcome == Outcome::timed_out);
  CHECK_THAT(trial.detail, Contains("killed after 200 ms"));
}

TEST_CASE("a run that failed is made again, as often in a trial as --retries says") {
  const testing::ScratchFolder state;
  const std::string file = (state.path() / "runs").string();
  const auto outcome = [&](int failures, int retries) {
    std::ofstream{file};
    Program program = script(fmt::format(
        "echo run >> {0}; test $(wc -l < {0}) -gt {1} && echo \"time: $1\"", file, failures));
    program.retries = retries;
    return ScriptBench(program).trial().outcome;
  };
  CHECK(Program().retries == 1);
  CHECK(outcome(1, 1) == Outcome::ok);
  CHECK(outcome(1, 0) == Outcome::crashed);
  CHECK(outcome(2, 1) == Outcome::crashed);
  CHECK(line_count(file) == 2);
  CHECK(outcome(2, 2) == Outcome::ok);
}

TEST_CASE("a race interleaves runs in rounds and stops at a failure with what it has") {
  ScriptBench bench(script(R"(echo "time: $1")"));
  const std::vector<Configuration> both{bench.space.baseline(), with(bench.space, "x", 3)};
  int between = 0;
  const Rounds rounds = bench.evaluator.race(both, {4, 7}, [&](const Rounds&) {
    ++between;
    return AfterRound{};
  });
  CHECK(rounds.seconds == std::vector<std::vector<double>>(4, {1, 3}));
  CHECK(between == 4);
  // The checked round comes after the one that ended it.
  const Rounds brief = bench.evaluator.race(
      both, {9, 7}, [](const Rounds& all) { return AfterRound{all.seconds.size() == 2}; });
  CHECK(brief.seconds.size() == 3);
  const testing::ScratchFolder state;
  const fs::path file = state.path() / "broken";
  ScriptBench failing(script("test ! -e " + file.string() + " && echo \"time: $1\""));
  const Rounds cut = failing.evaluator.race(both, {4, 7}, [&](const Rounds& all) {
    if (all.seconds.size() == 2) std::ofstream{file};
    return AfterRound{};
  });
  CHECK(cut.seconds.size() == 2);
  CHECK_THAT(cut.fault, Contains("crashed"));
}

TEST_CASE("a baseline without a figure ends the study with what it printed") {
  ScriptBench bench(script("echo all is well"));
  try {
    bench.trial();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.message(), Contains("no metric") && Contains("all is well"));
    CHECK_THAT(error.hint(), Contains("--dry-run"));
  }
  CHECK_THROWS_WITH(ScriptBench(script("echo time: -1")).trial(), Contains("no time above 0"));
}

TEST_CASE("later a run without a figure is a trial's own fault") {
  ScriptBench bench(script(R"(test $1 = 2 || echo "time: $1")"));
  CHECK(bench.trial().ok());
  const Trial trial = bench.evaluator.evaluate(with(bench.space, "x", 2), 1.0);
  CHECK(trial.outcome == Outcome::wrong_result);
  CHECK_THAT(trial.detail, Contains("no metric"));
}

TEST_CASE("variables are those of --env and of knobs that set one") {
  Program program = script(R"(echo "time: $A.$OMP_NUM_THREADS"; echo "$OMP_SCHEDULE")");
  program.environment["A"] = "{x}";
  program.check = "regex:^dynamic,4$";
  Knob threads = knob("threads", {5}, Knob::Kind::openmp), chunk = knob("chunk", {4});
  threads.setting = "threads";
  chunk.kind = Knob::Kind::openmp;
  chunk.setting = "chunk";
  Knob schedule = knob("schedule", {"dynamic"}, Knob::Kind::openmp);
  schedule.setting = "schedule";
  ScriptBench bench(
      program,
      SearchSpace("program", {knob("x", {1}), knob("y", {"c"}), threads, schedule, chunk}, {}, {}));
  const Trial trial = bench.trial();
  INFO(trial.detail);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value == 1.5);
}

TEST_CASE("each combination of a build's knobs is built once, in a folder of its own") {
  const testing::ScratchFolder state;
  const std::string log = (state.path() / "builds").string();
  Program program;
  program.build = quoted({"sh", "-c", "echo {x} >> " + log + "; echo 'echo time: {x}' > \"$1/app\"",
                          "sh", "{BUILD_DIR}"});
  program.command = "sh {BUILD_DIR}/app {y}";
  program.metric = R"(regex:time: (\S+))";
  ScriptBench bench(program, x_and_y(), {}, 3);
  std::vector<Configuration> all;
  for (std::uint64_t i = 0; i < bench.space.size(); ++i)
    all.push_back(bench.space.configuration(i));
  bench.evaluator.build(all);
  CHECK(line_count(log) == 3);
  double waiting = 0;
  for (const Configuration& one : all) {
    const Trial trial = bench.evaluator.evaluate(one, {});
    INFO(trial.detail);
    REQUIRE(trial.ok());
    CHECK(trial.measurement->seconds.value == one.at("x").real());
    waiting += trial.cost.waiting;
  }
  CHECK(waiting > 0);
  CHECK(bench.evaluator.race(all, {2, 1}).fault.empty());
  CHECK(line_count(log) == 3);
}

TEST_CASE("a build that fails is a trial that says why") {
  Program program;
  program.build = "sh -c 'echo {x} is bad; exit 3' {BUILD_DIR}";
  program.command = "{BUILD_DIR}/app {y}";
  const Trial trial = ScriptBench(program).trial();
  CHECK(trial.outcome == Outcome::build_failed);
  CHECK_THAT(trial.detail, Contains("exit code 3") && Contains("1 is bad"));
}

TEST_CASE(
    "a build that leaves its folder empty has failed, and the line that says why comes first") {
  Program program;
  program.build = "sh -c 'echo compiled {x}' {BUILD_DIR}";
  program.command = "{BUILD_DIR}/app {y}";
  const Trial empty = ScriptBench(program).trial();
  CHECK(empty.outcome == Outcome::build_failed);
  CHECK_THAT(empty.detail, Contains("left {BUILD_DIR} empty") && Contains("compiled 1"));
  program.build =
      "sh -c 'echo ld: cannot find -lomp; for i in 1 2 3 4 5 {x}; do echo make: Error $i; done; "
      "exit 2' {BUILD_DIR}";
  CHECK_THAT(ScriptBench(program).trial().detail, Contains("exit code 2; ld: cannot find -lomp;"));
}

TEST_CASE("a build that does not say where it goes happens in a copy of the folder") {
  const testing::ScratchFolder here;
  here.write("source", "echo time: 0.");
  here.write("deep/er", "1");
  here.write("results/large", "x");
  std::filesystem::create_symlink("source", here.path() / "inside");
  std::filesystem::create_symlink("../elsewhere", here.path() / "outside");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(here.path());
  Program program;
  program.build =
      "sh -c 'test ! -e results && (cat inside; cat deep/er; echo {x}) | "
      "tr -d \"\\n\" > app && chmod +x app'";
  program.command = "sh ./app {y}";
  program.metric = R"(regex:time: (\S+))";
  program.left_out = {std::filesystem::current_path() / "results"};
  ScriptBench bench(program);
  const Trial trial = bench.trial();
  const auto outside = std::filesystem::read_symlink(bench.folder.path() / "0" / "outside");
  std::filesystem::current_path(before);
  INFO(trial.detail);
  REQUIRE(trial.ok());
  CHECK(trial.measurement->seconds.value == Approx(0.11));
  CHECK(outside == (here.path().parent_path() / "elsewhere"));
  CHECK_FALSE(std::filesystem::exists(here.path() / "app"));
  CHECK_THROWS_WITH(copy_tree(here.path(), bench.folder.path() / "copy", {}, 5),
                    Contains("too much to copy") && Contains("BUILD_DIR"));
}

TEST_CASE("mistakes in a command are named with their cure") {
  Program program = script("echo");
  program.command += " {z}";
  CHECK_THAT(command_fault(program), Contains("{z}") && Contains("--command") && Contains("{{z}}"));
  program = script("echo");
  program.command += " {BUILD_DIR}";
  CHECK_THAT(command_fault(program), Contains("--build"));
  program = script("echo");
  program.environment["A"] = "{n}";
  CHECK_THAT(command_fault(program), Contains("--env A"));
  CHECK(command_fault(program, x_and_y(), {{"n", Value(3)}}).empty());
  program = script("echo");
  program.build = "make {BUILD_DIR} B={blok}";
  CHECK_THAT(
      command_fault(program,
                    SearchSpace("p", {knob("x", {1}), knob("y", {1}), knob("block", {1})}, {}, {})),
      Contains("did you mean {block}?") && Contains("--build"));
  CHECK_THAT(
      command_fault(script("echo"),
                    SearchSpace("p", {knob("x", {1}), knob("y", {1}), knob("z", {1, 2})}, {}, {})),
      Contains("nothing depends on knob z"));
  program.build.clear();
  program.environment.clear();
  program.command = "no-such-program {x} {y}";
  CHECK_THAT(command_fault(program),
             Contains("no program \"no-such-program\"") && Contains("./no-such"));
  program = script("echo");
  program.check = "regx:a";
  CHECK_THAT(command_fault(program), Contains("unknown check"));
}

TEST_CASE("what would run is told without running it") {
  Program program = script("exit 1");
  program.build = "make OUT={BUILD_DIR} X={x}";
  program.environment["N"] = "{n}";
  program.check = "command:./check {x}";
  const ScriptBench bench(program, x_and_y(), {{"n", Value(7)}});
  const PlannedCommand plan = bench.evaluator.plan(bench.space.baseline());
  CHECK(plan.build == Texts{"make", "OUT={BUILD_DIR}", "X=1"});
  CHECK(plan.run == Texts{"sh", "-c", "exit 1", "sh", "1", "a b"});
  CHECK(plan.check == Texts{"./check", "1"});
  CHECK(plan.environment.at("N") == "7");
  CHECK_FALSE(plan.in_copy);
}

TEST_CASE("another program file is another program") {
  const testing::ScratchFolder folder;
  const auto file = folder.write("app", "#!/bin/sh\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  Program program;
  program.command = file.string() + " {x}";
  const auto before = program_identity(program);
  CHECK(program_identity(program) == before);
  folder.write("app", "#!/bin/sh\necho\n");
  CHECK(program_identity(program) != before);
  program.command = "sh " + file.string() + " {x}";
  const auto script_before = program_identity(program);
  folder.write("app", "#!/bin/sh\n");
  CHECK(program_identity(program) != script_before);
}

TEST_CASE("inputs of a program are the files among its words and the variables it inherits") {
  const testing::ScratchFolder folder;
  const std::string in = folder.write("input", "1\n").string();
  const std::string out = folder.write("output", "1\n").string();
  Program program;
  program.command = fmt::format("sh -c ': <{0} >{1} 2> {1}' {0} -o {1} --out={1} {{x}}", in, out);
  for (const char* naming : {"sh -c : {}", "sh -c : --in={}", "sh -c 'cat <{}; :'"}) {
    Program one;
    one.command = fmt::format(fmt::runtime(naming), in);
    CHECK(program_identity(one).back() == std::pair("file " + in, hash_hex("1\n")));
  }
  const auto before = program_identity(program);
  folder.write("output", "2\n");
  CHECK(program_identity(program) == before);
  folder.write("input", "2\n");
  CHECK(program_identity(program) != before);
  folder.write("input", "1\n");
  for (const char* name : {"OMP_PROC_BIND", "KMP_AFFINITY", "LD_LIBRARY_PATH"}) {
    INFO(name);
    const testing::EnvironmentVariable variable(name, "/other");
    CHECK(program_identity(program) != before);
    // --env outranks it.
    program.environment[name] = "mine";
    const auto set = program_identity(program);
    setenv(name, "/another", 1);
    CHECK(program_identity(program) == set);
    program.environment.clear();
  }
  CHECK(program_identity(program) == before);
  const testing::EnvironmentVariable of_builds("CFLAGS", "-O1");
  CHECK(program_identity(program) == before);
}
