// Ctrl-C, kill -9 and resumption: nothing that was measured is lost, no process stays.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/file.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;
using namespace std::chrono_literals;

namespace {

/// Starts `tune` without waiting; its output goes to <user>/log.
pid_t start(const User& user, std::vector<std::string> words) {
  std::string script = "cd '" + user.path(".").string() + "'; ";
  for (const auto& [name, value] : user.environment()) script += name + "='" + value + "' ";
  script += "exec '" ROOFTUNE_TUNE "'";
  for (const auto& word : words) script += " '" + word + "'";
  script += " > log 2>&1";
  std::string shell = "/bin/sh", flag = "-c";
  char* argv[] = {shell.data(), flag.data(), script.data(), nullptr};
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, "/bin/sh", nullptr, nullptr, argv, environ) == 0);
  return child;
}

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

bool gone(const User& user) {
  for (int n = 0; n < 50; ++n) {
    if (processes(user).empty()) return true;
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
  const User user;
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

TEST_CASE("kill -9 of a worker is an outcome of the trial in flight") {
  const User user;
  write_rogue(user, "hanger", {"well", "hang"});
  const pid_t child = start(user, {"--kernel", "./hanger", "--strategy", "exhaustive"});
  REQUIRE(wait_for_trials(user, 1));
  std::this_thread::sleep_for(500ms);
  for (const pid_t worker : processes(user))
    if (worker != child) kill(worker, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  INFO(read_text(user.path("log")));
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(finished_trials(user) == 2);
}

TEST_CASE("a sweep runs its studies, resumes after kill -9, and fails when one of them fails") {
  const User user;
  write_slow(user);
  write_rogue(user, "liar", {"wrong"});
  user.write("plan.json", R"({"schema": "rooftune-sweep-1", "name": "night",
   "defaults": {"budget": 20, "strategy": "exhaustive"},
   "studies": [{"kernel": "triad", "problem": {"n": 1000}, "budget": 3}, {"kernel": "./slow"}, {"kernel": "./liar"}]})");
  const pid_t child = start(user, {"sweep", "plan.json"});
  REQUIRE(wait_for_trials(user, 5));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(gone(user));
  const Ran ran = user.tune({"sweep", "plan.json", "--json", user.path("summary.json").string()});
  CHECK(ran.code == 1);
  CHECK(ran.says("finished before this run was resumed"));
  const Json summary = read_json(user.path("summary.json"));
  REQUIRE(summary.at("studies").size() == 3);
  CHECK(summary.at("studies")[0].at("state") == "done");
  CHECK(summary.at("studies")[1].at("state") == "done");
  CHECK(summary.at("studies")[2].at("state") == "failed");
  CHECK(user.files("results/sweeps", ".json").size() == 4);
}
