// The user's wish to end: whoever waits for a child ends it, whatever its limit says.
#include "os/interruption.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "os/subprocess.h"
#include "os/temporary_directory.h"

using namespace rooftune;
using namespace std::chrono_literals;

namespace {

constexpr int ended_as_wanted = 7;

/// Longer than any test may take: who waits for it has not been interrupted.
constexpr auto far_limit = std::chrono::hours(1);

Command sleeper(const std::filesystem::path& ready) {
  Command command;
  command.argv = {"sh", "-c", "echo $$ > " + ready.string() + "; exec sleep 100000"};
  command.limit = far_limit;
  return command;
}

pid_t number_in(const std::filesystem::path& file) {
  for (int i = 0; i < 12000; ++i) {
    pid_t pid = 0;
    if (std::ifstream(file) >> pid && pid > 0) return pid;
    std::this_thread::sleep_for(5ms);
  }
  return 0;
}

/// A process that watches for signals while it does this; a signal is for ever, so it is another.
class Watcher {
 public:
  explicit Watcher(const std::function<void()>& work) {
    pid_ = fork();
    if (pid_ != 0) return;
    watch_interrupts();
    try {
      work();
    } catch (const Interrupted&) {
      _exit(interrupted() ? ended_as_wanted : 1);
    } catch (...) {
    }
    _exit(2);
  }
  ~Watcher() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  void signal(int number) const { kill(pid_, number); }
  /// Its exit code; -1 when something else ended it.
  int code() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("nobody is interrupted who does not watch") {
  CHECK_FALSE(interrupted());
  CHECK(interruption_descriptor() == -1);
}

TEST_CASE("a signal ends a command that runs to completion, and its group") {
  const TemporaryDirectory folder;
  for (const int number : {SIGINT, SIGTERM}) {
    const auto ready = folder.path() / std::to_string(number);
    Watcher watcher([&] { execute(sleeper(ready)); });
    const pid_t child = number_in(ready);
    REQUIRE(child > 0);
    watcher.signal(number);
    CHECK(watcher.code() == ended_as_wanted);
    CHECK(kill(child, 0) != 0);
  }
}

TEST_CASE("a signal ends a child whose reply is waited for") {
  const TemporaryDirectory folder;
  const auto ready = folder.path() / "ready";
  Watcher watcher([&] {
    Child child(sleeper(ready));
    child.receive(far_limit);
  });
  const pid_t child = number_in(ready);
  REQUIRE(child > 0);
  watcher.signal(SIGINT);
  CHECK(watcher.code() == ended_as_wanted);
  CHECK(kill(child, 0) != 0);
}

TEST_CASE("who was interrupted starts nothing that it would wait for") {
  const TemporaryDirectory folder;
  const auto ready = folder.path() / "ready";
  Watcher watcher([&] {
    try {
      execute(sleeper(ready));
    } catch (const Interrupted&) {
    }
    execute(sleeper(folder.path() / "second"));
  });
  REQUIRE(number_in(ready) > 0);
  watcher.signal(SIGINT);
  CHECK(watcher.code() == ended_as_wanted);
}

TEST_CASE("the second signal ends the process at once") {
  const TemporaryDirectory folder;
  const auto ready = folder.path() / "ready";
  Watcher watcher([&] {
    std::ofstream(ready) << getpid() << std::endl;
    while (!interrupted()) std::this_thread::sleep_for(1ms);
    std::ofstream(folder.path() / "first") << getpid() << std::endl;
    for (;;) pause();
  });
  REQUIRE(number_in(ready) > 0);
  watcher.signal(SIGINT);
  REQUIRE(number_in(folder.path() / "first") > 0);
  watcher.signal(SIGINT);
  CHECK(watcher.code() == 130);
}
