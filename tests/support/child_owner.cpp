// A process that owns one Child and waits to be killed; prints the child's process number.
// Usage: child_owner LOG PROGRAM ARGUMENT...
#include <unistd.h>

#include <cstdio>

#include "os/subprocess.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  rooftune::Command command;
  command.argv.assign(argv + 2, argv + argc);
  const rooftune::Child child(command, argv[1], 1 << 16);
  std::printf("%d\n", child.pid());
  std::fflush(stdout);
  for (;;) pause();
}
