// vfork, a few system calls, execve.
// Between vfork and exec the child shares the parent's memory: it only calls the kernel.
#include "os/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/list.h"
#include "core/text.h"
#include "os/process_tree.h"
#include "os/subprocess.h"

namespace rooftune::os {
namespace {

// The child's own descriptors are 0 to 4; ours stay above, where its dup2 does not reach.
constexpr int first_own_descriptor = 10;

struct Launch {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* directory;  // nullptr: the parent's
  int input, output, request, reply;
  pid_t parent;
  sigset_t mask;
  volatile int fault = 0;
};

[[noreturn]] void become(Launch& launch) {
  // Its own group, for signals; and its own share, where the scheduler divides cores among
  // sessions.
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent dead before the call above will never send the signal.
  if (getppid() != launch.parent) _exit(127);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  const int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (oom >= 0) (void)!write(oom, "1000", 4);
  for (int signal_number = 1; signal_number < NSIG; ++signal_number) signal(signal_number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &launch.mask, nullptr);
  bool ready =
      dup2(launch.input, 0) == 0 && dup2(launch.output, 1) == 1 && dup2(launch.output, 2) == 2;
  if (launch.request >= 0)
    ready = ready && dup2(launch.request, 3) == 3 && dup2(launch.reply, 4) == 4;
  if (launch.directory) ready = ready && chdir(launch.directory) == 0;
  syscall(SYS_close_range, launch.request >= 0 ? 5U : 3U, ~0U, 0U);
  if (ready) execve(launch.program, launch.argv, launch.environment);
  launch.fault = errno;
  _exit(127);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
[[gnu::noinline]] pid_t launched(Launch& launch) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &launch.mask);
  const pid_t pid = vfork();
  if (pid == 0) become(launch);
  const int fault = errno;
  sigprocmask(SIG_SETMASK, &launch.mask, nullptr);
  if (pid < 0) launch.fault = fault;
  return pid;
}
#pragma GCC diagnostic pop

/// Whether no program could be started at this moment.
bool lacks_room(int fault) {
  return fault == EAGAIN || fault == ENOMEM || fault == EMFILE || fault == ENFILE;
}

Descriptor raised(int fd) {
  const Descriptor low(fd);
  Descriptor high(fcntl(low.get(), F_DUPFD_CLOEXEC, first_own_descriptor));
  if (high.get() < 0)
    throw NoRoomForChild(fmt::format("no file descriptor is left ({})", std::strerror(errno)), {});
  return high;
}

DescriptorPair raised_pair(const int (&fds)[2]) {
  Descriptor second(fds[1]);
  DescriptorPair pair;
  pair.parent = raised(fds[0]);
  pair.child = raised(second.release());
  return pair;
}

std::string marker() {
  static std::atomic<unsigned> serial{0};
  return guard_marker() + std::to_string(++serial);
}

Texts merged_environment(const Command& command, const std::string& mark) {
  Texts merged;
  if (!command.hands_over) merged.push_back(mark + "=1");
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text(*entry);
    const std::string name = text_before(text, '=');
    const auto& without = command.without;
    if (!command.environment.contains(name) && !contains(without, name)) merged.push_back(text);
  }
  for (const auto& [name, value] : command.environment) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(Texts& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Held from a child's birth until it is registered, and from its reaping until it is forgotten:
/// another thread must not take it for a stray, nor forget a new child with the same number.
std::mutex registry_mutex;
std::map<pid_t, std::string>& registry() {
  static std::map<pid_t, std::string> markers;
  return markers;
}

/// A file in memory: nobody waits, even if the child does not read it all.
Descriptor input_of(const Command& command) {
  if (command.input.empty()) return raised(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor file = raised(memfd_create("input", MFD_CLOEXEC));
  if (!write_all(file.get(), command.input))
    throw NoRoomForChild(fmt::format("its input cannot be kept: {}", std::strerror(errno)),
                         command.argv.at(0));
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

void keep_only(int fd) {
  const int empty = open("/dev/null", O_RDWR);
  for (int standard = 0; standard < 3; ++standard) dup2(empty, standard);
  // The parent's descriptors must not stay open here: their readers may wait for an end of file.
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
  // A dying process may be starting a child: look again until nothing is found.
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
  // Exec would need a program beside every user of this library. The child below touches neither
  // OpenMP nor a device, so fork without exec is safe here.
  owner = getpid();
  guard = fork();
  if (guard == 0) watch(pipe.parent.get(), marker);
  if (guard > 0) {
    const std::lock_guard lock(registry_mutex);
    registry()[guard];
  }
  // Nothing is written to this end; it stays open until the process ends, however it ends.
  write_end = pipe.child.release();
  std::atexit(dismiss);
}

}  // namespace

NoRoomForChild::NoRoomForChild(const std::string& message, const std::string& where)
    : Error(message, where,
            "free memory, or raise the limits of processes and files (ulimit -u -n, the "
            "container's); the same command goes on",
            ExitCode::unavailable) {}

DescriptorPair output_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0)
    throw NoRoomForChild(fmt::format("no pipe can be made: {}", std::strerror(errno)), {});
  return raised_pair(fds);
}

DescriptorPair socket_pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
    throw NoRoomForChild(fmt::format("no socket pair can be made: {}", std::strerror(errno)), {});
  return raised_pair(fds);
}

Spawned spawn(const Command& command, int request, int reply, int output) {
  const std::string& name = command.argv.at(0);
  const auto program = find_program(name);
  if (!program) throw Unavailable("cannot start " + name + ": no such program", name);
  start_guard();
  Spawned started;
  started.marker = marker();
  Texts argv = command.argv;
  Texts environment = merged_environment(command, started.marker);
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  const Descriptor input = input_of(command);
  Launch launch{program->c_str(),
                argv_pointers.data(),
                environment_pointers.data(),
                command.directory.empty() ? nullptr : command.directory.c_str(),
                input.get(),
                output,
                request,
                reply,
                getpid(),
                {},
                0};
  const std::lock_guard lock(registry_mutex);
  pid_t pid = launched(launch);
  for (bool again = true; launch.fault != 0; again = false) {
    if (pid > 0) waitpid(pid, nullptr, 0);
    const std::string why = fmt::format("cannot start {}: {}", name, std::strerror(launch.fault));
    if (!lacks_room(launch.fault)) throw Unavailable(why, name);
    if (!again) throw NoRoomForChild(why, name);
    usleep(100'000);
    launch.fault = 0;
    pid = launched(launch);
  }
  started.pid = pid;
  registry()[pid] = started.marker;
  started.pid_fd.reset(int(syscall(SYS_pidfd_open, pid, 0)));
  return started;
}

ExitStatus end_child(pid_t pid, const std::string& marker) {
  // Stopped first, to start nothing more; a worker has all its descendants below it.
  kill(pid, SIGSTOP);
  end_descendants(pid);
  // The group is killed before its leader is reaped: until then its number cannot mean another
  // group.
  kill(-pid, SIGKILL);
  // It may have no group yet: where fork stands in for vfork (ThreadSanitizer), we may be first.
  kill(pid, SIGKILL);
  siginfo_t info{};
  while (waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  int status = 0;
  rusage used{};
  {
    const std::lock_guard lock(registry_mutex);
    while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
    registry().erase(pid);
  }
  end_strays(marker, pid);
  ExitStatus ended = exit_status(status);
  for (const timeval& part : {used.ru_utime, used.ru_stime})
    ended.cpu += double(part.tv_sec) + 1e-6 * double(part.tv_usec);
  return ended;
}

bool is_registered_child(pid_t pid) {
  const std::lock_guard lock(registry_mutex);
  return registry().contains(pid);
}

Texts markers_of_children() {
  const std::lock_guard lock(registry_mutex);
  Texts markers;
  for (const auto& [pid, marker] : registry())
    if (!marker.empty()) markers.push_back(marker);
  return markers;
}

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
