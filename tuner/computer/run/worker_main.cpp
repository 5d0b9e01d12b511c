// The loop of a worker process: requests on descriptor 3, replies on 4.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "os/process_tree.h"
#include "run/host_evaluator.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// Away from 3 and 4, out of reach of a variant's writes to foreign descriptors.
int hidden(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) close(fd);
  return high >= 0 ? high : fd;
}

}  // namespace

int worker_main() {
  // A parent or sanitizer may have installed handlers; our parent reads the signals.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(number, SIG_DFL);
  FILE* const requests = fdopen(hidden(3), "r");
  Replies replies(hidden(4));
  explain_forbidden_accesses(replies);
  // Orphans of a variant come to this process, and it ends them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Worker worker(replies);
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t size; (size = getline(&line, &room, requests)) > 0;) {
    worker.serve({line, static_cast<std::size_t>(size)});
    if (worker.leaving()) return 0;
  }
  end_children();
  // Foreign exit handlers and destructors must not run.
  _exit(0);
}

}  // namespace rooftune::run
