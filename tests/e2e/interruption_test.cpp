// Ctrl-C, kill -9 and resumption: nothing that was measured is lost, no process stays.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
using namespace std::chrono_literals;

namespace {

std::size_t finished_trials(const User& user) {
  std::size_t count = 0;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    const std::string text = read_text(file);
    for (std::size_t at = text.find("\"outcome\""); at != std::string::npos;
         at = text.find("\"outcome\"", at + 1))
      ++count;
  }
  return count;
}

/// Waits until so many trials are on record; false after a minute.
bool wait_for_trials(const User& user, std::size_t count) {
  for (int n = 0; n < 600; ++n) {
    if (finished_trials(user) >= count) return true;
    std::this_thread::sleep_for(100ms);
  }
  return false;
}

/// Folders of runs that are under way or were killed: for their logs and for what they build.
std::size_t temporary_folders(const User& user) {
  std::size_t count = 0;
  for (const char* place : {"tmp", "cache/artefacts/building"})
    for (const auto& entry : std::filesystem::directory_iterator(user.path(place)))
      count += entry.path().filename().string().starts_with("rooftune") ? 1 : 0;
  return count;
}

std::size_t records_with(const User& user, const std::string& text) {
  std::size_t count = 0;
  for (const auto& file : user.files("results/records", ".jsonl"))
    count += read_text(file).find(text) != std::string::npos ? 1 : 0;
  return count;
}

/// Presses Ctrl-C while something is held, which nothing but its limit (a minute or more) would
/// end: that nothing timed out shows that the end came from the key.
void interrupt_held(const User& user, pid_t child) {
  REQUIRE(wait_until_held(user));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  const std::string log = read_text(user.path("log"));
  INFO(log);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(log.find("interrupted by the user") != std::string::npos);
  CHECK(log.find("run the same command to go on") != std::string::npos);
  CHECK(gone(user));
  CHECK(temporary_folders(user) == 0);
  CHECK(records_with(user, "timed_out") == 0);
  CHECK(records_with(user, "build_failed") == 0);
  let_go(user);
}

/// The configurations that a search has tried, in order, its study's folder being the only one.
std::vector<Json> tried(const User& user) {
  const auto records = user.files("results/records", ".jsonl");  // `parts` lie beside the study
  return user.trials(records.at(0).parent_path().filename());
}

/// A compiler that is held where the condition of a shell `case` on its words is met.
std::map<std::string, std::string> held_compiler(const User& user, const std::string& words) {
  const auto compiler = find_program("g++");
  REQUIRE(compiler);
  const std::string tmp = user.path("tmp").string();
  return installed(user, "c++",
                   "#!/bin/sh\ncase \"$*\" in\n  " + words + ")\n    if [ -e " + tmp +
                       "/held ]; then\n      : > " + tmp +
                       "/holding\n      exec sleep 100000\n    fi\nesac\nexec " +
                       compiler->string() + " \"$@\"\n");
}

const std::vector<std::string> long_study{"--kernel",   "./slow",   "--strategy",
                                          "exhaustive", "--budget", "100"};

void write_slow(const User& user) {
  write_rogue(user, "slow", {"well", "slow", "print", "wrong", "after", "input"});
}

}  // namespace

TEST_CASE("Ctrl-C ends with 130, keeps the results, and the same command goes on") {
  const User user;
  write_slow(user);
  const pid_t child = start(user, long_study);
  REQUIRE(wait_for_trials(user, 2));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  INFO(read_text(user.path("log")));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    WARN("the study was over before the signal came");
  } else {
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(read_text(user.path("log")).find("interrupted") != std::string::npos);
  }
  const std::size_t kept = finished_trials(user);
  CHECK(kept >= 2);
  const Json result = user.tuned(long_study);
  CHECK(finished_trials(user) == 6);
  CHECK(result.at("stop").at("reason") == "exhausted");
}

TEST_CASE(
    "kill -9 of tune loses at most the trial in flight, leaves no process and, a run later, no "
    "file") {
  const User user(Builds::own);
  write_slow(user);
  const pid_t child = start(user, long_study);
  REQUIRE(wait_for_trials(user, 1));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(gone(user));
  const std::size_t kept = finished_trials(user);
  CHECK(kept >= 1);
  CHECK(temporary_folders(user) >= 1);
  const Json result = user.tuned(long_study);
  CHECK(temporary_folders(user) == 0);
  CHECK(result.at("stop").at("reason") == "exhausted");
  CHECK(finished_trials(user) == 6);
}

TEST_CASE("a closed terminal and a scheduler's warning give up what was under way") {
  for (const int number : {SIGHUP, SIGUSR1, SIGXCPU}) {
    const User user;
    write_rogue(user, "hanger", {"well", "held"});
    hold(user);
    const pid_t child = start(user, {"--kernel", "./hanger", "--strategy", "exhaustive"});
    REQUIRE(wait_until_held(user));
    // A terminal's signal comes twice: from the shell and from the system.
    for (int times = 0; times < 2; ++times) kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    INFO(number << ": " << read_text(user.path("log")));
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(records_with(user, "given up") == 1);
    CHECK(gone(user));
  }
}

TEST_CASE("a second run of a study ends with 75 and says who runs it") {
  const User user;
  write_rogue(user, "hanger", {"well", "hang"});
  const std::vector<std::string> words{"--kernel", "./hanger", "--strategy", "exhaustive"};
  const pid_t child = start(user, words);
  REQUIRE(wait_for_trials(user, 1));
  std::vector<std::string> anew = words;
  anew.push_back("--fresh");
  for (const auto& command : {words, anew}) {
    const Ran second = user.tune(command);
    CHECK(second.code == 75);
    CHECK(second.says("is being run by process " + std::to_string(child)));
    CHECK(second.says("--wait"));
  }
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(finished_trials(user) == 1);
}

TEST_CASE("kill -9 of a worker is an outcome of the trial in flight") {
  const User user;
  write_rogue(user, "hanger", {"well", "held"});
  hold(user);
  const pid_t child = start(user, {"--kernel", "./hanger", "--strategy", "exhaustive"});
  REQUIRE(wait_until_held(user));
  for (const pid_t worker : processes(user))
    if (worker != child) kill(worker, SIGKILL);
  let_go(user);
  int status = 0;
  waitpid(child, &status, 0);
  INFO(read_text(user.path("log")));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(finished_trials(user) == 2);
}

TEST_CASE("kills at any moment lose, tear and blame nothing", "[.night]") {
  // A campaign sets the number: 200 of them take half an hour.
  const char* const wanted = std::getenv("ROOFTUNE_KILLS");
  const User user(Builds::own);
  write_rogue(user, "rogue", {"well", "slow", "print"});
  const std::vector<std::vector<std::string>> studies{
      {"--kernel", "./rogue", "--strategy", "exhaustive", "--budget", "60"},
      {"--kernel", "triad", "--problem", "n=50000", "--strategy", "random", "--budget", "400"},
      {"--kernel", "euler", "--problem", "n=20000", "--strategy", "random", "--budget", "400"},
      {"--kernel", "diffusion", "--problem", "n=20000", "--budget", "400"},
      {"--kernel", "spmv", "--problem", "n=3000", "--budget", "400"}};
  std::mt19937 chance(wanted ? std::random_device()()
                             : 1);  // a campaign has other moments each time
  std::uniform_int_distribution<int> moment(0, 3000);
  std::size_t known = 0;
  for (int n = 0; n < (wanted ? std::stoi(wanted) : 6); ++n) {
    const pid_t child = start(user, studies[static_cast<std::size_t>(n) % studies.size()]);
    std::this_thread::sleep_for(std::chrono::milliseconds(moment(chance)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    REQUIRE(gone(user));
    const std::size_t now = finished_trials(user);
    CHECK(now >= known);
    known = now;
  }
  for (const auto& file : user.files("results/records", ".jsonl")) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      const Json record = parse_json(line, file.string());
      if (record.at("event") != "trial") continue;
      CHECK(record.at("body").at("outcome") != "crashed");
    }
  }
  const Json result = user.tuned(studies.front());
  CHECK(result.at("trials").at("ok") == 3);
}

TEST_CASE("a sweep runs its studies, resumes after kill -9, and fails when one of them fails") {
  const User user;
  write_slow(user);
  write_rogue(user, "good", {"well"});
  write_rogue(user, "liar", {"wrong"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "night",
   "defaults": {"budget": 20, "strategy": "exhaustive"},
   "studies": [{"kernel": "./good"}, {"kernel": "./slow"}, {"kernel": "./liar"}]})");
  const pid_t child = start(user, {"sweep", "plan.json"});
  REQUIRE(wait_for_trials(user, 3));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(gone(user));
  const Ran ran =
      user.tune({"sweep", "plan.json", "--continue", "--json", user.path("summary.json").string()});
  CHECK(ran.code == 3);
  CHECK(ran.says("finished before this run was resumed"));
  const Json summary = read_json(user.path("summary.json"));
  REQUIRE(summary.at("studies").size() == 3);
  CHECK(summary.at("studies")[0].at("state") == "done");
  CHECK(summary.at("studies")[1].at("state") == "done");
  CHECK(summary.at("studies")[2].at("state") == "failed");
  CHECK(user.files("results/sweeps", ".json").size() == 4);
}

TEST_CASE("Ctrl-C ends a trial that hangs, and the search goes on as if nothing had been") {
  const std::vector<std::string> study{"--kernel", "./many", "--strategy",  "random", "--seed", "5",
                                       "--budget", "6",      "--no-anchors"};
  const std::vector<std::string> modes{"well", "held", "print", "wrong", "after", "input"};
  const User user(Builds::own), straight;
  for (const User* each : {&user, &straight}) write_rogue(*each, "many", modes);
  straight.tuned(study);
  hold(user);
  interrupt_held(user, start(user, study));
  CHECK(records_with(user, "given up") == 1);
  const std::size_t kept = finished_trials(user);
  CHECK(kept >= 1);
  CHECK(kept < modes.size());
  // The configuration in flight is no killer, however often it was given up.
  for (int again = 0; again < 2; ++again) {
    hold(user);
    interrupt_held(user, start(user, study));
    CHECK(finished_trials(user) == kept);
  }
  const Json result = user.tuned(study);
  CHECK(result.at("stop").at("reason") == "budget");
  CHECK(tried(user) == tried(straight));
}

TEST_CASE("Ctrl-C ends a compilation, which is no failure of what was compiled") {
  const User user(Builds::own);
  write_rogue(user, "pair", {"well", "print"});
  const auto environment = held_compiler(user, "*=KNOB_MODE_PRINT*");
  const std::vector<std::string> study{"--kernel",     "./pair",     "--budget", "2",
                                       "--no-anchors", "--builders", "1"};
  hold(user);
  interrupt_held(user, start(user, study, environment));
  CHECK(finished_trials(user) == 1);
  const Ran ran = user.tune(study, environment);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(finished_trials(user) == 2);
  CHECK(records_with(user, "build_failed") == 0);
}

TEST_CASE("Ctrl-C ends a race, which the next run holds anew") {
  const User user(Builds::own);
  write_rogue(user, "racer", {"well", "racer"});
  const std::vector<std::string> study{"--kernel", "./racer", "--budget", "2", "--no-anchors"};
  hold(user);
  interrupt_held(user, start(user, study));
  CHECK(finished_trials(user) == 2);
  CHECK(records_with(user, "\"event\":\"race\"") == 0);
  const Json result = user.tuned(study);
  CHECK(result.at("stop").at("reason") != "interrupted");
  CHECK(records_with(user, "\"event\":\"race\"") == 1);
}

TEST_CASE("Ctrl-C ends a counting run, and everything before it stands") {
  const User user(Builds::own);
  write_rogue(user, "single", {"well"});
  // Only code that counts is compiled to assembly first.
  const auto environment = held_compiler(user, "*\" -S \"*");
  const std::vector<std::string> study{"--kernel",   "./single",     "--budget",    "1",
                                       "--counters", "instrumented", "--no-anchors"};
  hold(user);
  interrupt_held(user, start(user, study, environment));
  CHECK(finished_trials(user) == 1);
  CHECK(user.tune({"report", "--kernel", "single"}).says("interrupted by the user"));
  const Ran ran = user.tune(study, environment);
  INFO(ran.output);
  CHECK(ran.code == 0);
  CHECK(records_with(user, "\"event\":\"counts\"") == 1);
}

TEST_CASE("Ctrl-C before there is a result says so, and a sweep tells which study it was in") {
  const User user;
  write_rogue(user, "first", {"well"});
  const auto environment = held_compiler(user, "*");
  hold(user);
  const pid_t check = start(user, {"check", "./first"}, environment);
  REQUIRE(wait_until_held(user));
  kill(check, SIGINT);
  int status = 0;
  waitpid(check, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(read_text(user.path("log")).find("interrupted before there was a result") !=
        std::string::npos);
  CHECK(gone(user));
  let_go(user);
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "day", "studies": [
   {"kernel": "./first", "budget": 1}],
   "notify": [["sh", "-c", "cat > told; echo $ROOFTUNE_SWEEP_STATE, $ROOFTUNE_SWEEP_SUBJECT >> told"]]})");
  user.write("junit.xml", "yesterday's, all well");
  hold(user);
  const pid_t sweep =
      start(user, {"sweep", "plan.json", "--output", "junit=junit.xml"}, environment);
  REQUIRE(wait_until_held(user));
  kill(sweep, SIGINT);
  waitpid(sweep, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(read_text(user.path("log")).find("interrupted; --continue goes on") != std::string::npos);
  CHECK(gone(user));
  const std::string told = read_text(user.path("told"));
  CHECK(told.starts_with("The night was interrupted.\nsweep day: 1 studies\n"));
  CHECK(told.ends_with("failed, day: interrupted 1\n"));
  CHECK(read_text(user.path("junit.xml")).find("the night ended before it was measured") !=
        std::string::npos);
  let_go(user);
  CHECK(user.tune({"sweep", "plan.json"}, environment).code == 0);
}
