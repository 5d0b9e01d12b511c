// The guard's process. PR_SET_PDEATHSIG ends a worker with its parent, but not the children of a
// worker or a compiler. The guard does: it reads a pipe never written to; end of file means the end
// of this process.
#include "os/guard.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include "os/process_tree.h"
#include "os/spawn.h"

namespace rooftune::os {
namespace {

void keep_only(int fd) {
  const int empty = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(empty, standard);
  // Descriptors of the parent must not stay open here: their readers may wait for an end of file.
  dup2(fd, 3);
  syscall(SYS_close_range, 4U, ~0U, 0U);
}

[[noreturn]] void watch(int fd, const std::string& marker) {
  setsid();
  prctl(PR_SET_NAME, "tune-guard");
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) signal(signal_number, SIG_IGN);
  keep_only(fd);
  char byte;
  while (read(3, &byte, 1) != 0 || errno == EINTR) errno = 0;
  // A dying process may have a child in the making: look again until nothing is found.
  for (int round = 0; round < 100; ++round) {
    const auto left = marked_processes(marker);
    if (left.empty()) break;
    for (const pid_t pid : left) kill(pid, SIGKILL);
    usleep(2000);
  }
  _exit(0);
}

pid_t owner = -1, guard = -1;
int write_end = -1;

/// A normal end waits for the guard and leaves no zombie on systems that reap no orphans.
void dismiss() {
  if (getpid() != owner || guard <= 0) return;
  close(write_end);
  waitpid(guard, nullptr, 0);
}

void start() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  DescriptorPair pipe = output_pipe();
  const std::string& marker = guard_marker();
  // Exec would need a program with every user of this library; the child below touches neither
  // OpenMP nor a device, so fork without exec is safe here.
  owner = getpid();
  guard = fork();
  if (guard == 0) watch(pipe.parent.get(), marker);
  if (guard > 0) register_child(guard);
  // Never written to; this end stays open until the process ends, however it ends.
  write_end = pipe.child.release();
  std::atexit(dismiss);
}

}  // namespace

const std::string& guard_marker() {
  static const std::string text = "ROOFTUNE_CHILD_" + std::to_string(getpid()) + "_" +
                                  std::to_string(start_time(getpid())) + "_";
  return text;
}

void start_guard() {
  static std::once_flag once;
  std::call_once(once, start);
}

}  // namespace rooftune::os
