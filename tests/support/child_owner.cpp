// A process that owns one Child and waits to be killed; prints the child's process number.
// Usage: child_owner PROGRAM ARGUMENT...
//        child_owner --crowd    commands on several threads at once; fails when one ends otherwise
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "os/parallel.h"
#include "os/process_tree.h"
#include "os/subprocess.h"

namespace {

/// Every command has a runaway for a child, which is ours to end, while others come and go.
int crowd() {
  rooftune::treat_all_children_as_own();
  rooftune::start_guard();
  std::atomic<int> wrong{0};
  rooftune::in_parallel(200, 4, [&](std::size_t i) {
    rooftune::Command command;
    command.argv = {"sh", "-c", i % 4 == 0 ? "setsid sleep 1000 & exit 7" : "exit 7"};
    if (rooftune::execute(command).status.code != 7) ++wrong;
  });
  // The guard is one of ours, and all that is left.
  return wrong == 0 && rooftune::children(getpid()).size() == 1 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--crowd") == 0) return crowd();
  if (argc < 2) return 2;
  rooftune::Command command;
  command.argv.assign(argv + 1, argv + argc);
  const rooftune::Child child(command);
  std::printf("%d\n", child.pid());
  std::fflush(stdout);
  for (;;) pause();
}
