// Commands run to completion, how they ended, and the places of their programs.
#include "os/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/seconds_since.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/process_tree.h"
#include "os/spawn.h"

namespace rooftune::os {
namespace {

bool executable(const std::filesystem::path& file) {
  std::error_code fault;
  return std::filesystem::is_regular_file(file, fault) && access(file.c_str(), X_OK) == 0;
}

/// Keeps the bytes, as far as there is room.
void keep(const Command& command, const char* bytes, std::size_t count, std::string& output) {
  const std::size_t room = command.kept_output - std::min(command.kept_output, output.size());
  output.append(bytes, command.keeps_end ? count : std::min(count, room));
  // In large steps: every one moves all kept bytes.
  if (output.size() > 2 * command.kept_output) output.erase(0, output.size() - command.kept_output);
}

/// Takes the output present now; false at end of file.
bool take(int fd, const Command& command, std::string& output) {
  // Bounded: a child printing as fast as we read must not delay its deadline.
  constexpr int most_blocks = 64;
  std::array<char, 1 << 16> block;
  for (int n = 0; n < most_blocks; ++n) {
    const ssize_t count = read(fd, block.data(), block.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    keep(command, block.data(), static_cast<std::size_t>(count), output);
  }
  return true;
}

/// Processes of a command, counted up to one more than `most`; orphans among them are our children.
std::size_t processes(pid_t pid, std::size_t most) {
  std::vector<pid_t> all{pid};
  for (const pid_t child : children(getpid()))
    if (!is_registered_child(child)) all.push_back(child);
  for (std::size_t i = 0; i < all.size() && all.size() <= most; ++i) {
    const std::vector<pid_t> more = children(all[i]);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all.size();
}

std::size_t bytes_in(const std::filesystem::path& folder) {
  std::size_t bytes = 0;
  constexpr auto all = std::filesystem::directory_options::skip_permission_denied;
  std::error_code fault, gone;
  for (std::filesystem::recursive_directory_iterator it(folder, all, fault), end;
       !fault && it != end; it.increment(fault))
    if (it->is_regular_file(gone) && !it->is_symlink(gone))
      if (const std::uintmax_t size = it->file_size(gone); !gone) bytes += size;
  return bytes;
}

std::string size_text(std::size_t bytes) { return to_text(Bytes(static_cast<double>(bytes))); }

/// The bound exceeded by the command, in words; empty for none.
std::string excess(const Command& command, pid_t pid) {
  const Bounds& bounds = command.bounds;
  if (bounds.processes && processes(pid, bounds.processes) > bounds.processes)
    return fmt::format("more than {} processes", bounds.processes);
  if (bounds.memory && resident_bytes(pid) > bounds.memory)
    return fmt::format("more than {} of memory", size_text(bounds.memory));
  // The system ends it at the limit of one file.
  if (bounds.disk && bytes_in(command.directory) >= bounds.disk)
    return fmt::format("more than {} of disk", size_text(bounds.disk));
  return {};
}

/// The part of the bounds kept by the system.
void limit_files(const Bounds& bounds, pid_t pid) {
  rlimit limit{};
  if (!bounds.disk || getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bounds.disk);
  prlimit(pid, RLIMIT_FSIZE, &limit, nullptr);
}

/// Drains the output until the child has ended (true), the deadline is over, it takes more than it
/// may or the user wants an end.
bool drained(const Spawned& child, const Command& command, int output,
             std::chrono::steady_clock::time_point end, Finished& finished) {
  constexpr int most_poll = 1000;
  constexpr auto period = std::chrono::milliseconds(100);
  const Bounds& bounds = command.bounds;
  const bool bounded = bounds.memory || bounds.disk || bounds.processes;
  auto next = std::chrono::steady_clock::now() + period;
  std::array<pollfd, 3> waits{
      pollfd{output, POLLIN, 0}, pollfd{child.pid_fd.get(), POLLIN, 0},
      pollfd{command.hands_over ? -1 : interruption_descriptor(), POLLIN, 0}};
  for (;;) {
    // Without pidfd_open the end of the child is polled.
    const int often = child.pid_fd.get() < 0 ? 20
                      : bounded              ? milliseconds_until(next, 100)
                                             : most_poll;
    const int wait_milliseconds =
        milliseconds_until(command.hands_over ? end : std::min(end, TimeLimit::end()), often);
    const auto asleep = std::chrono::steady_clock::now();
    poll(waits.data(), waits.size(), wait_milliseconds);
    end += not_run(asleep, wait_milliseconds);
    if (!take(output, command, finished.output)) waits[0].fd = -1;
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    if (info.si_pid == child.pid) return true;
    if (interrupted() && !command.hands_over) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) return false;
    if (!bounded || now < next) continue;
    finished.excess = excess(command, child.pid);
    if (!finished.excess.empty()) return false;
    next = std::chrono::steady_clock::now() + period;
  }
}

const char* meaning(int signal_number) {
  static const std::map<int, const char*> meanings = {
      {SIGSEGV, "invalid memory access"},
      {SIGBUS, "memory that does not exist"},
      {SIGFPE, "integer division by zero or overflow"},
      {SIGILL, "an instruction that this CPU does not have"},
      {SIGABRT, "abort, a failed assertion or an uncaught exception"},
      {SIGKILL, "killed from outside"},
      {SIGTERM, "asked to end"},
      {SIGXCPU, "CPU time limit"},
      {SIGXFSZ, "file size limit"},
      {SIGSYS, "forbidden system call"}};
  const auto found = meanings.find(signal_number);
  return found == meanings.end() ? nullptr : found->second;
}

}  // namespace

ExitStatus exit_status(int status) {
  ExitStatus result;
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string ExitStatus::text() const {
  if (timed_out) return "killed at its deadline";
  if (over_memory) return "killed over its memory limit";
  if (code) return fmt::format("exit code {}", *code);
  if (!signal) return "unknown end";
  const char* name = sigabbrev_np(*signal);
  const std::string shown = name ? fmt::format("SIG{}", name) : fmt::format("signal {}", *signal);
  const char* means = meaning(*signal);
  return means ? fmt::format("killed by {} ({})", shown, means) : "killed by " + shown;
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return executable(name) ? std::optional(std::filesystem::path(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream places(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string place; std::getline(places, place, ':');)
    if (const auto file = std::filesystem::path(place) / name; !place.empty() && executable(file))
      return file;
  return std::nullopt;
}

Finished execute(const Command& command) {
  DescriptorPair output = output_pipe();
  fcntl(output.parent.get(), F_SETFL, O_NONBLOCK);
  const auto begin = std::chrono::steady_clock::now();
  const Spawned child = spawn(command, -1, -1, output.child.get());
  output.child.reset();
  limit_files(command.bounds, child.pid);
  Finished finished;
  const bool ended = drained(child, command, output.parent.get(), begin + command.limit, finished);
  finished.seconds = seconds_since(begin);
  const bool unwanted = !ended && interrupted() && !command.hands_over;
  finished.status = end_child(child.pid, child.marker);
  finished.status.timed_out = !ended && finished.excess.empty();
  if (unwanted) throw Interrupted{};
  if (ended && !command.hands_over) throw_if_all_were_asked_to_end(finished.status.signal);
  take(output.parent.get(), command, finished.output);
  if (!finished.status.ok() && ended && command.bounds.disk &&
      bytes_in(command.directory) >= command.bounds.disk)
    finished.excess = fmt::format("more than {} of disk", size_text(command.bounds.disk));
  return finished;
}

}  // namespace rooftune::os
