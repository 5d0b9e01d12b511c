// The loop of a worker process: requests on descriptor 3, replies on 4.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "os/process_tree.h"
#include "run/host_evaluator.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

/// Lines of a descriptor.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}
  /// False at the end of input.
  bool next(std::string& line) {
    for (;;) {
      if (const std::size_t end = text_.find('\n'); end != std::string::npos) {
        line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return true;
      }
      std::array<char, 4096> block;
      const ssize_t count = read(fd_, block.data(), block.size());
      if (count <= 0) return false;
      text_.append(block.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int fd_;
  std::string text_;
};

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
  Lines requests(hidden(3));
  Replies replies(hidden(4));
  explain_forbidden_accesses(replies);
  // Orphans of a variant come to this process, and it ends them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Worker worker(replies);
  for (std::string line; requests.next(line);) {
    worker.serve(line);
    if (worker.leaving()) return 0;
  }
  end_children();
  // Foreign exit handlers and destructors must not run.
  _exit(0);
}

}  // namespace rooftune::run
