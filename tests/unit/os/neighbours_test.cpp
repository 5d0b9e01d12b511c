#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>

#include "os/process_tree.h"

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
  kill(orphan, SIGKILL);
  kill(own, SIGKILL);
  waitpid(own, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  CHECK(has(orphan));
  CHECK_FALSE(has(own));
  CHECK_FALSE(has(getpid()));
}

TEST_CASE("the three busiest are named") {
  CHECK(os::to_text({{"sh", 71, 0.98}}) == "sh (pid 71) 0.98");
  CHECK(os::to_text({{"a", 1, 0.9}, {"b", 2, 0.8}, {"c", 3, 0.7}, {"d", 4, 0.6}, {"e", 5, 0.5}}) ==
        "a (pid 1) 0.90, b (pid 2) 0.80, c (pid 3) 0.70 and 2 more");
}
