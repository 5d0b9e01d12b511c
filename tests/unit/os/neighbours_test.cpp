#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "os/process_tree.h"
#include "os/subprocess.h"
#include "support/busy_core.h"

using namespace rooftune;

namespace {

[[noreturn]] void burn() {
  for (volatile unsigned turns = 0;;) turns = turns + 1;
}

}  // namespace

TEST_CASE("a busy process of somebody else is named, a busy child is not") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const os::Neighbours neighbours;
  // A test before may have started children, since when orphans are ours.
  int adopts = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &adopts);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  const pid_t child = fork();
  if (child == 0) {
    // An orphan is nobody's descendant here.
    const pid_t orphan = fork();
    if (orphan == 0) burn();
    _exit(write(ends[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
  }
  pid_t orphan = 0;
  REQUIRE(read(ends[0], &orphan, sizeof orphan) == sizeof orphan);
  waitpid(child, nullptr, 0);
  prctl(PR_SET_CHILD_SUBREAPER, adopts);
  const pid_t own = fork();
  if (own == 0) burn();
  std::vector<os::Neighbour> busy;
  const auto has = [&](pid_t pid) {
    return std::ranges::find(busy, pid, &os::Neighbour::pid) != busy.end();
  };
  for (int i = 0; i < 10000 && !has(orphan); ++i) busy = neighbours.busy();
  const bool burns = os::is_running(own);
  kill(own, SIGSTOP);
  waitpid(own, nullptr, WUNTRACED);
  const bool burns_stopped = os::is_running(own);
  kill(orphan, SIGKILL);
  kill(own, SIGKILL);
  waitpid(own, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  CHECK(has(orphan));
  CHECK_FALSE(has(own));
  CHECK(burns);
  CHECK_FALSE(burns_stopped);
  CHECK_FALSE(has(getpid()));
}

TEST_CASE("what clang's OpenMP has left in shared memory of an ended process is removed, no more") {
  // No process has this number.
  constexpr pid_t ended = 1 << 30;
  const auto name = [](pid_t pid) {
    return "/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(pid) + "_" + std::to_string(getuid());
  };
  for (const pid_t pid : {ended, ended + 1}) std::ofstream(name(pid)) << pid;
  os::remove_shared_names(ended);
  CHECK_FALSE(std::filesystem::exists(name(ended)));
  CHECK(std::filesystem::remove(name(ended + 1)));
}

TEST_CASE("the three busiest are named") {
  CHECK(os::to_text({{"sh", 71, 0.98}}) == "sh (pid 71) 0.98");
  CHECK(os::to_text({{"a", 1, 0.9}, {"b", 2, 0.8}, {"c", 3, 0.7}, {"d", 4, 0.6}, {"e", 5, 0.5}}) ==
        "a (pid 1) 0.90, b (pid 2) 0.80, c (pid 3) 0.70 and 2 more");
}

TEST_CASE("a measured program tells how long it waited for its core beside somebody else") {
  const testing::BusyCore core;
  os::Command loop;
  loop.argv = {"sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done"};
  CHECK_FALSE(os::execute(loop).waits);
  loop.is_measured = true;
  const os::Finished finished = os::execute(loop);
  CHECK(finished.status.cpu > 0);
  if (!finished.waits) return;  // this kernel does not count
  CHECK(finished.waits->longest > 0.1 * finished.seconds);
  CHECK(finished.waits->longest < finished.seconds);
  CHECK(finished.waits->together >= finished.waits->longest);
}

TEST_CASE("where others of a program computed, too, its waits lie between two bounds") {
  const testing::Taskset one_core(os::usable_cpus().front());
  const os::Waits alone = os::waits_of_program({0.7, 0.25, 10}, 0.7, 1);
  CHECK(alone.longest == 0.25);
  CHECK(alone.together == Approx(0.252));
  // In quiet it needs as long as its first thread computes.
  const os::Waits team = os::waits_of_program({0.3, 0.1, 10}, 0.4, 1);
  CHECK(team.longest == 0.1);
  CHECK(team.together == Approx(0.6));
  // The core was its own for most of the time: it waited for itself.
  const os::Waits crowd = os::waits_of_program({0.3, 0.5, 10}, 0.95, 1);
  CHECK(crowd.longest == Approx(0.05));
  CHECK(crowd.together == Approx(0.05));
}
