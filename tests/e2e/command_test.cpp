// A whole program tuned in place: words, builds, metrics, checks, bounds, resumption, mistakes.
#include <fmt/format.h>
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "core/file.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

using Texts = std::vector<std::string>;

void write_program(const User& user, const std::string& name, const std::string& text) {
  user.write(name, text);
  std::filesystem::permissions(user.path(name), std::filesystem::perms::owner_all);
}

/// Prints a time in ms that is least for a = 3 and b = fast, and fails for a = 4. LATER is added to
/// all times, SLOWER to those of b = fast.
void write_app(const User& user) {
  write_program(user, "app", R"sh(#!/bin/sh
[ "$1" = 4 ] && { echo "4 is too much"; exit 3; }
case $2 in fast) t=$((10 + ${SLOWER:-0}));; *) t=20;; esac
t=$((t + ${LATER:-0}))
echo "working"
echo "time: $((t + (3 - $1) * (3 - $1))) ms, result: $((7 - ($1 == 5)))"
)sh");
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "a", "values": [1, 2, 3, 4, 5], "default": 1},
    {"name": "b", "values": ["slow", "fast"], "default": "slow"}]})");
}

const Texts app{"--command",     "./app {a} {b}",
                "--space",       "space.json",
                "--metric",      R"(regex:time: (\S+) ms)",
                "--metric-unit", "ms",
                "--check",       "regex:result: 7",
                "--strategy",    "exhaustive",
                "--budget",      "20"};

Texts and_more(Texts words, const Texts& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("a program is tuned by the figure it prints, without a probe and without a bound") {
  const User user;
  write_app(user);
  std::filesystem::remove(user.path("machines/host.json"));
  const Json result = user.tuned(app);
  CHECK(result.at("kernel") == "app");
  CHECK(result.at("best").at("configuration") == Json{{"a", 3}, {"b", "fast"}});
  CHECK(result.at("best").at("seconds").at("value") == Approx(10e-3));
  CHECK(result.at("baseline").at("seconds").at("value") == Approx(24e-3));
  CHECK(result.at("speedup").at("value") == Approx(2.4));
  CHECK(result.at("study").at("race_rounds") >= 3);
  CHECK(result.at("bound").is_null());
  CHECK(result.at("best").at("gap").is_null());
  CHECK(result.at("claims").at(1).at("kind") == "no_bound");
  CHECK(result.at("trials").at("crashed") == 2);
  CHECK(result.at("trials").at("wrong_result") == 2);
  CHECK_FALSE(result.at("staircase").at("steps").empty());
  CHECK_FALSE(std::filesystem::exists(user.path("machines/host.json")));
  CHECK(user.files("results/reports", ".html").size() == 1);

  const Ran explained = user.tune({"explain", "--kernel", "app"});
  CHECK(explained.code == 0);
  CHECK(explained.says("command = ./app {a} {b}"));
  const Ran trial = user.tune({"explain", "--kernel", "app", "best"});
  CHECK(trial.code == 0);
  CHECK(trial.says("a=3 b=fast"));
  const Ran report = user.tune({"report", "--kernel", "app"});
  CHECK(report.code == 0);
  CHECK(report.says("2.40x"));
  // The last line says how to use what was found, and does.
  const std::string id = result.at("study").at("id").get<std::string>().substr(0, 8);
  CHECK(user.tune(app).says("tune export --study " + id + " --format json -o tuned_app.json"));
  CHECK(user.tune({"export", "--study", id, "--format", "json", "-o", "app.json"}).code == 0);
  CHECK(user.tune({"export", "--kernel", "app", "--format", "best-known"}).says("has no bound"));
  CHECK(user.tune({"export", "--kernel", "app", "--format", "library", "-o", "lib"})
            .says("of a program"));
  for (const char* format : {"json", "header", "t4"}) {
    const Ran exported = user.tune({"export", "--kernel", "app", "--format", format});
    INFO(format << "\n" << exported.output);
    CHECK(exported.code == 0);
    CHECK(exported.says("fast"));
    CHECK(exported.says("timed again") == (std::string(format) != "t4"));
  }
  // By another metric it is another study, whose times are no better or worse.
  user.tuned({"--command", "./app {a} {b}", "--space", "space.json", "--budget", "1"});
  const Ran several = user.tune({"export", "--kernel", "app", "--format", "json"});
  CHECK(several.code == 2);
  CHECK(several.says("2 studies fit"));
  // What is exported is what stands here now.
  write_program(user, "app", "#!/bin/sh\necho \"time: 1 ms, result: 7\"\n");
  const Ran other = user.tune({"export", "--study", id, "--format", "json"});
  CHECK(other.code == 2);
  CHECK(other.says("is another one than the study's"));
  CHECK(user.tune({"export", "--study", id, "--format", "json", "--as-recorded"}).code == 0);
}

TEST_CASE(
    "an export holds the times of its own check, and a variant that is slower then is refused") {
  const User user;
  write_app(user);
  user.tuned(app);
  const Texts words{"export", "--kernel", "app", "--format", "json", "-o", "app.json"};
  const Ran later = user.tune(words, {{"LATER", "1"}});
  INFO(later.output);
  REQUIRE(later.code == 0);
  CHECK(later.says("the study said 2.40x"));
  const Json written = read_json(user.path("app.json"));
  CHECK(written.at("provenance").at("seconds").at("value") == Approx(11e-3));
  // Beside others, times of programs are intervals.
  const Json speedup = written.at("provenance").at("speedup");
  CHECK(speedup.at("low").get<double>() <= 25.0 / 11 + 1e-6);
  CHECK(speedup.at("high").get<double>() >= 25.0 / 11 - 1e-6);
  const Ran slower = user.tune(words, {{"SLOWER", "30"}});
  CHECK(slower.code != 0);
  CHECK(slower.says("so it may be slower"));
  CHECK(read_json(user.path("app.json")) == written);
}

TEST_CASE("work and traffic make a bound, in the space or on the command line") {
  const User user;
  write_app(user);
  // 1e13 B at the imagined 1e15 B/s.
  const Json result = user.tuned(and_more(app, {"--traffic", "read=1e10*n,write=max(0, 0)",
                                                "--problem", "n=1000", "--target-gap", "1.01"}));
  CHECK(result.at("bound").at("seconds") == Approx(10e-3));
  CHECK(result.at("best").at("gap").at("total") == Approx(1));
  CHECK(result.at("stop").at("reason") == "closed");
  CHECK(user.tune({"report", "--kernel", "app", "-v"}).says("bound"));
}

TEST_CASE("a build is made once for each of its combinations, and again nothing is done twice") {
  const User user;
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "a", "values": [3, 1, 2], "default": 3},
    {"name": "b", "values": [5, 4], "default": 5}]})");
  user.write("app.in", "#!/bin/sh\necho \"{\\\"time\\\": [0.A$1, 0.A$1]}\"\n");
  const Texts words{"--command",
                    "{BUILD_DIR}/app {b}",
                    "--build",
                    "sh -c 'echo {a} >> builds; sed s/A/{a}/g app.in > $0/app && "
                    "chmod +x $0/app' {BUILD_DIR}",
                    "--space",
                    "space.json",
                    "--metric",
                    "json:/time",
                    "--strategy",
                    "exhaustive",
                    "--budget",
                    "20",
                    "--builders",
                    "2"};
  const Json result = user.tuned(words);
  CHECK(result.at("best").at("configuration") == Json{{"a", 1}, {"b", 4}});
  CHECK(result.at("best").at("seconds").at("value") == Approx(0.14));
  CHECK(read_text(user.path("builds")).size() == 6);
  CHECK(result.at("cost").at("build") > 0);
  CHECK(std::filesystem::is_empty(user.path("tmp")));
}

TEST_CASE("a run that hangs is ended at its limit and leaves nothing") {
  const User user;
  write_program(user, "app", "#!/bin/sh\n[ $1 = 2 ] && { sleep 1000 & wait; }\necho time: $1\n");
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "a", "values": [3, 2, 1], "default": 3}]})");
  const Json result =
      user.tuned({"--command", "./app {a}", "--space", "space.json", "--metric",
                  R"(regex:time: (\S+))", "--run-limit", "1s", "--strategy", "exhaustive"});
  CHECK(result.at("trials").at("timed_out") == 1);
  CHECK(result.at("best").at("configuration") == Json{{"a", 1}});
  CHECK(processes(user).empty());
}

TEST_CASE("kill -9 loses at most the run in flight, and the same command goes on") {
  const User user;
  write_app(user);
  write_program(user, "slow",
                "#!/bin/sh\n[ $1 = 3 ] && [ -e held ] && { : > holding; sleep 1000; }"
                "\nexec ./app \"$@\"\n");
  Texts words = app;
  words[1] = "./slow {a} {b}";
  user.write("held", "");
  const pid_t child = start(user, words);
  for (int n = 0; n < 600 && !std::filesystem::exists(user.path("holding")); ++n)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  REQUIRE(std::filesystem::exists(user.path("holding")));
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(gone(user));
  std::filesystem::remove(user.path("held"));
  const std::string study = user.files("results/records", ".jsonl").at(0).parent_path().filename();
  const std::size_t before = user.trials(study).size();
  CHECK(before >= 1);
  const Json result = user.tuned(words);
  CHECK(result.at("best").at("configuration") == Json{{"a", 3}, {"b", "fast"}});
  CHECK(user.trials(study).size() == 10);
  // Another text of the program is another study.
  user.write("slow", read_text(user.path("slow")) + "\n");
  std::filesystem::permissions(user.path("slow"), std::filesystem::perms::owner_all);
  CHECK(user.tuned(words).at("study").at("id") != result.at("study").at("id"));
}

TEST_CASE("a dry run prints what would run for the baseline") {
  const User user;
  write_app(user);
  const Ran ran = user.tune(
      and_more(app, {"--dry-run", "--env", "MODE=m{b}", "--check", "command:./check {a}"}));
  INFO(ran.output);
  CHECK(ran.code == 2);  // --check twice
  const Ran once = user.tune(and_more(app, {"--dry-run", "--env", "MODE=m{b}"}));
  INFO(once.output);
  CHECK(once.code == 0);
  CHECK(once.says("run    ./app 1 slow"));
  CHECK(once.says("MODE=mslow"));
  CHECK(once.says("nothing was measured"));
  CHECK_FALSE(std::filesystem::exists(user.path("results")));
  const Ran both = user.tune(and_more(app, {"--dry-run", "--json", "-"}));
  CHECK(both.code == 2);
  CHECK(both.says("--json"));
}

TEST_CASE("spaces in the community's form T1 serve as well") {
  const User user;
  write_app(user);
  user.write("t1.json", R"({"ConfigurationSpace": {"TuningParameters": [
      {"Name": "a", "Type": "int", "Values": "[1, 2, 3]", "Default": 1},
      {"Name": "b", "Type": "string", "Values": "['slow', 'fast']", "Default": "slow"}],
    "Conditions": [{"Expression": "a != 3", "Parameters": ["a"]}]}})");
  Texts words = app;
  words[3] = "t1.json";
  const Json result = user.tuned(words);
  CHECK(result.at("best").at("configuration") == Json{{"a", 2}, {"b", "fast"}});
  CHECK(user.tune({"report", "--kernel", "app"}).code == 0);
}

TEST_CASE("mistakes with a program are named with their cure") {
  const User user;
  write_app(user);
  write_program(user, "quiet", "#!/bin/sh\necho nothing to see\n");
  user.write("broken.json", "{\"schema\": ");
  struct Case {
    std::size_t at;
    std::string word;
    int code;
    std::string says;
  };
  const std::vector<Case> cases{
      {1, "./aap {a} {b}", 3, "there is no program \"./aap\""},
      {1, "./app {a} {c}", 2, "{c} is neither a knob"},
      {1, "./app {a}", 2, "nothing depends on knob b"},
      {1, "./app {a} '{b}", 2, "is not closed"},
      {1, "./quiet {a} {b}", 2, "nothing to see"},
      {3, "absent.json", 2, "absent.json"},
      {3, "broken.json", 2, "broken.json:1"},
      {5, "regex:tim(", 2, "no regular expression"},
      {5, "jason:/a", 2, "unknown metric"},
      {7, "weeks", 2, "unknown unit"},
  };
  for (const Case& one : cases) {
    Texts words = app;
    words[one.at] = one.word;
    const Ran ran = user.tune(words);
    INFO(one.word << "\n" << ran.output);
    CHECK(ran.code == one.code);
    CHECK(ran.says(one.says));
  }
  const Ran both = user.tune(and_more(app, {"--kernel", "triad"}));
  CHECK(both.code == 2);
  CHECK(both.says("--kernel"));
  const Ran no_space = user.tune({"--command", "./app"});
  CHECK(no_space.code == 2);
  CHECK(no_space.says("--space"));
  CHECK(user.tune(and_more(app, {"--work", "fp64=2*m"})).says("--problem m=1000"));
}

TEST_CASE("the example of a program with a Makefile is tuned as its page says") {
  const User user;
  const std::filesystem::path folder = example("command");
  for (const char* file : {"matmul.c", "Makefile", "matmul.json"})
    std::filesystem::copy(folder / file, user.path(file));
  if (!find_program("make") || !find_program("cc")) return;
  const Json result =
      user.tuned({"--command", "{BUILD_DIR}/matmul {n} {order}", "--build",
                  "make OUT={BUILD_DIR} BLOCK={block} CFLAGS={optimise}", "--space", "matmul.json",
                  "--problem", "n=96", "--metric", R"(regex:time: (\S+) s)", "--check",
                  "regex:result: correct", "--strategy", "exhaustive", "--budget", "100"});
  CHECK(result.at("trials").at("ok") == 10);
  CHECK(result.at("bound").at("seconds") > 0);
  CHECK(read_text(folder / "README.md")
            .find("make OUT={BUILD_DIR} BLOCK={block} "
                  "CFLAGS={optimise}") != std::string::npos);
}

TEST_CASE("a night tunes a program as an evening does") {
  const User user;
  write_app(user);
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "studies": [{"budget": 20,
    "strategy": "exhaustive", "program": {"command": "./app {a} {b}", "space": "./space.json",
    "metric": "regex:time: (\\S+) ms", "metric_unit": "ms", "check": "regex:result: 7"}}]})");
  const Ran ran = user.tune({"sweep", "plan.json", "-q", "--json", "night.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  const Json study = read_json(user.path("night.json")).at("studies").at(0);
  INFO(study.dump(1));
  CHECK(study.at("name") == "app");
  CHECK(study.at("state") == "done");
  CHECK(ran.says("2.40x"));
}

TEST_CASE("a first run that failed is made again, at once and by the next command") {
  const User user;
  const auto app_of = [&](int failures) {
    write_program(user, "flaky",
                  fmt::format(R"sh(#!/bin/sh
echo run >> runs
[ $(wc -l < runs) -le {} ] && {{ echo "srun: error: Unable to create step"; exit 1; }}
echo "time: $1"
)sh",
                              failures));
    std::filesystem::remove(user.path("runs"));
  };
  user.write("space.json", R"({"schema": "rooftune-space-1", "knobs": [
    {"name": "a", "values": [3, 2, 1], "default": 3}]})");
  const Texts words{
      "--command",  "./flaky {a}", "--space",  "space.json", "--metric", R"(regex:time: (\S+))",
      "--strategy", "exhaustive",  "--budget", "3"};
  app_of(2);
  const Ran failed = user.tune(words);
  INFO(failed.output);
  CHECK(failed.code == 1);
  CHECK(failed.says("Unable to create step"));
  CHECK(failed.says("the same command tries it again"));
  const Json result = user.tuned(words);
  CHECK(result.at("best").at("configuration") == Json{{"a", 1}});
  CHECK(result.at("trials").at("ok") == 3);
  app_of(1);
  CHECK(user.tune(and_more(words, {"--fresh", "--retries", "0"})).code == 1);
  app_of(1);
  CHECK(user.tune(and_more(words, {"--fresh"})).code == 0);
}
