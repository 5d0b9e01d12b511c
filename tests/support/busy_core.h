// A core with a busy process of somebody else, as urgent as a program that is measured; this thread
// and the programs that it starts run there, too.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/process_tree.h"
#include "support/taskset.h"

namespace rooftune::testing {

class BusyCore {
 public:
  BusyCore() : neighbour_(fork()) {
    if (neighbour_ != 0) return;
    setsid();
    os::go_before_neighbours(getpid());
    for (volatile unsigned turns = 0;;) turns = turns + 1;
  }
  ~BusyCore() {
    kill(neighbour_, SIGKILL);
    waitpid(neighbour_, nullptr, 0);
  }
  BusyCore(const BusyCore&) = delete;
  BusyCore& operator=(const BusyCore&) = delete;

 private:
  Taskset core_{os::usable_cpus().front()};
  pid_t neighbour_;
};

}  // namespace rooftune::testing
