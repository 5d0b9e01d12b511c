// The loop of a worker process: requests on descriptor 3, replies on 4, also from a signal handler.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <vector>

#include "os/process_tree.h"
#include "run/host_evaluator.h"
#include "run/worker.h"

namespace rooftune::run {
namespace {

Replies* explained = nullptr;

/// Whether the failed access was a write; true where the CPU does not say.
bool was_writing(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t write_bit = 2;  // of the page fault's error code
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return (registers[REG_ERR] & write_bit) != 0;
#else
  return context != nullptr;
#endif
}

/// The access came from foreign code, without a lock that the words below need; if it holds one all
/// the same, the parent's deadline ends us.
void on_invalid_access(int number, siginfo_t* info, void* context) {
  if (const auto fault = forbidden_access(info->si_addr, was_writing(context))) {
    explained->fault(fault->outcome, fault->detail);
    _exit(0);
  }
  // The same instruction fails again, and now for good.
  signal(number, SIG_DFL);
}

/// From now on a forbidden access to an array of this process (array_set.h) is the last reply of
/// the request at hand, and the end of the process. Any other invalid access ends it as ever.
void explain_forbidden_accesses(Replies& replies) {
  explained = &replies;
  // A stack of its own: the thread's may be exhausted.
  static std::vector<unsigned char> memory(std::size_t{1} << 18);
  stack_t stack{};
  stack.ss_sp = memory.data();
  stack.ss_size = memory.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_invalid_access;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
}

/// Where this process may, it and its neighbours share a core 99 to 1 while it measures: of what
/// they take away, nothing could be learned. Not where the user wants it behind others (nice).
void go_before_neighbours() {
  if (getpriority(PRIO_PROCESS, 0) > 0) return;
  constexpr int foremost = -20;
  setpriority(PRIO_PROCESS, 0, foremost);
  // Among sessions, where the scheduler shares among these first; the session is its own.
  std::ofstream("/proc/self/autogroup") << foremost;
}

/// Away from 3 and 4, out of reach of a variant's writes to foreign descriptors.
int hidden(int fd) {
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) close(fd);
  return high >= 0 ? high : fd;
}

}  // namespace

void Replies::send(Phase phase, Json body) {
  body["sequence"] = sequence_;
  body["phase"] = word(phase);
  const std::string line = json_text(body) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t count = write(fd_, line.data() + sent, line.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    // The parent has gone.
    if (count <= 0) _exit(3);
    sent += static_cast<std::size_t>(count);
  }
}

void Replies::fault(std::optional<Outcome> outcome, const std::string& detail,
                    const std::string& where, const std::string& hint) {
  send(Phase::fault, {{"outcome", outcome ? Json(to_text(*outcome)) : Json()},
                      {"detail", detail},
                      {"where", where},
                      {"hint", hint}});
}

int worker_main() {
  // A parent or sanitizer may have installed handlers; our parent reads the signals.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGINT})
    std::signal(number, SIG_DFL);
  FILE* const requests = fdopen(hidden(3), "r");
  Replies replies(hidden(4));
  explain_forbidden_accesses(replies);
  go_before_neighbours();
  // Orphans of a variant come to this process, and it ends them.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  Worker worker(replies);
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t size; (size = getline(&line, &room, requests)) > 0;)
    worker.serve({line, static_cast<std::size_t>(size)});
  end_children();
  // Foreign exit handlers and destructors must not run.
  _exit(0);
}

}  // namespace rooftune::run
