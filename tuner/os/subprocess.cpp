// Commands that run to completion, and where their programs are.
#include "os/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "os/interruption.h"
#include "os/process_tree.h"
#include "os/spawn.h"

namespace rooftune::inline os {
namespace {

constexpr std::size_t kept_output = 64 << 10;

bool executable(const std::filesystem::path& file) {
  std::error_code fault;
  return std::filesystem::is_regular_file(file, fault) && access(file.c_str(), X_OK) == 0;
}

/// Takes what is there now; false at end of file.
bool take(int fd, Finished& finished) {
  std::array<char, 1 << 16> block;
  for (;;) {
    const ssize_t count = read(fd, block.data(), block.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    const auto wanted = kept_output - finished.output.size();
    const auto kept = std::min(static_cast<std::size_t>(count), wanted);
    finished.output.append(block.data(), kept);
    finished.truncated = finished.truncated || kept < static_cast<std::size_t>(count);
  }
}

/// Drains the output until the child has ended (true), the deadline is over or the user wants an
/// end.
bool drained(const Spawned& child, int output, std::chrono::steady_clock::time_point end,
             Finished& finished) {
  std::array<pollfd, 3> waits{pollfd{output, POLLIN, 0}, pollfd{child.pid_fd.get(), POLLIN, 0},
                              pollfd{interruption_descriptor(), POLLIN, 0}};
  for (;;) {
    // Without pidfd_open the end of the child is asked for now and then.
    const int patience = milliseconds_until(end, child.pid_fd.get() < 0 ? 20 : 1 << 30);
    poll(waits.data(), waits.size(), patience);
    if (!take(output, finished)) waits[0].fd = -1;
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == child.pid) return true;
    if (interrupted()) return false;
    if (patience == 0) return false;
  }
}

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return executable(name) ? std::optional(std::filesystem::path(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  const std::string places = path ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= places.size();) {
    const std::size_t end = std::min(places.find(':', begin), places.size());
    const std::filesystem::path candidate =
        std::filesystem::path(places.substr(begin, end - begin)) / name;
    if (end > begin && executable(candidate)) return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

Finished execute(const Command& command) {
  DescriptorPair output = output_pipe();
  fcntl(output.parent.get(), F_SETFL, O_NONBLOCK);
  const auto end = std::chrono::steady_clock::now() + command.limit;
  const Spawned child = spawn(command, -1, -1, output.child.get());
  output.child.reset();
  Finished finished;
  const bool ended = drained(child, output.parent.get(), end, finished);
  const bool unwanted = !ended && interrupted();
  finished.status.timed_out = !ended;
  // The group is killed before its leader is reaped: until then its number cannot mean another one.
  kill(-child.pid, SIGKILL);
  int status = 0;
  waitpid(child.pid, &status, 0);
  forget_child(child.pid);
  end_strays(child.marker, child.pid);
  if (unwanted) throw Interrupted{};
  take(output.parent.get(), finished);
  if (WIFEXITED(status)) finished.status.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished.status.signal = WTERMSIG(status);
  return finished;
}

}  // namespace rooftune::inline os
