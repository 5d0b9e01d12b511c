// Commands run to completion, or asked and answered line by line; how they ended, and where their
// programs are. Nothing waits without a deadline.
#include "os/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/seconds_since.h"
#include "core/split.h"
#include "core/text.h"
#include "core/units.h"
#include "os/interruption.h"
#include "os/process_tree.h"

namespace rooftune::os {
namespace {

/// A longer line is no reply from a sound worker.
constexpr size_t longest_line = 16 << 20;

bool executable(const fs::path& file) { return is_file(file) && access(file.c_str(), X_OK) == 0; }

/// Keeps the bytes, as far as there is room.
void keep(const Command& command, const char* bytes, size_t count, std::string& output) {
  const size_t room = command.kept_output - std::min(command.kept_output, output.size());
  output.append(bytes, command.keeps_end ? count : std::min(count, room));
  // In large steps, for each moves all kept bytes.
  if (output.size() > 2 * command.kept_output) output.erase(0, output.size() - command.kept_output);
}

/// Takes the output that is there now; false at end of file.
bool take(int fd, const Command& command, std::string& output) {
  // Bounded, for a child that prints as fast as we read must not delay its deadline.
  constexpr int most_blocks = 64;
  std::array<char, 1 << 16> block;
  for (int n = 0; n < most_blocks; ++n) {
    const ssize_t count = read(fd, block.data(), block.size());
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    keep(command, block.data(), count, output);
  }
  return true;
}

/// A command's processes, counted up to one more than `most`; orphans among them are our children.
size_t processes(pid_t pid, size_t most) {
  ProcessIds all{pid};
  for (const pid_t child : children(getpid()))
    if (!is_registered_child(child)) all.push_back(child);
  for (size_t i = 0; i < all.size() && all.size() <= most; ++i) {
    const ProcessIds more = children(all[i]);
    append(all, more);
  }
  return all.size();
}

size_t bytes_in(const fs::path& folder) {
  size_t bytes = 0;
  std::error_code gone;
  for (const fs::path& entry : entries_of<fs::recursive_directory_iterator>(folder))
    if (fs::is_regular_file(fs::symlink_status(entry, gone)))
      if (const uintmax_t size = fs::file_size(entry, gone); !gone) bytes += size;
  return bytes;
}

std::string size_text(size_t bytes) { return to_text(Bytes(double(bytes))); }

/// The bound that the command exceeds, in words; empty if none.
std::string excess(const Command& command, pid_t pid) {
  const Bounds& bounds = command.bounds;
  if (bounds.processes && processes(pid, bounds.processes) > bounds.processes)
    return fmt::format("more than {} processes", bounds.processes);
  if (bounds.memory && resident_bytes(pid) > bounds.memory)
    return fmt::format("more than {} of memory", size_text(bounds.memory));
  // The system ends it when a single file reaches the limit.
  if (bounds.disk && bytes_in(command.directory) >= bounds.disk)
    return fmt::format("more than {} of disk", size_text(bounds.disk));
  return {};
}

/// Sets the bound that the system itself keeps: on a file's size.
void limit_files(const Bounds& bounds, pid_t pid) {
  rlimit limit{};
  if (!bounds.disk || getrlimit(RLIMIT_FSIZE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bounds.disk);
  prlimit(pid, RLIMIT_FSIZE, &limit, nullptr);
}

/// Milliseconds left until `end`, at least 0, rounded up, at most `most`.
int milliseconds_until(SteadyClock::time_point end, int most) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - SteadyClock::now()).count();
  return left <= 0 ? 0 : left < most ? int(left) : most;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid;
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
  return copy_at(meanings, signal_number).value_or(nullptr);
}

/// The first line that git answers; empty where it fails.
std::string asked(const fs::path& folder, Texts words) {
  Command command;
  command.argv = {"git", "-C", folder.string()};
  append(command.argv, words);
  // Otherwise git refreshes its index, and another git beside us would find it locked.
  command.environment["GIT_OPTIONAL_LOCKS"] = "0";
  command.limit = std::chrono::seconds(5);
  const Finished finished = execute(command);
  if (!finished.status.ok()) return {};
  return text_before(finished.output, '\n');
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
  if (code) return fmt::format("exit code {}", *code);
  if (!signal) return "unknown end";
  const char* name = sigabbrev_np(*signal);
  const std::string shown = name ? fmt::format("SIG{}", name) : fmt::format("signal {}", *signal);
  const char* means = meaning(*signal);
  return means ? fmt::format("killed by {} ({})", shown, means) : "killed by " + shown;
}

std::optional<fs::path> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (contains(name, '/')) return executable(name) ? std::optional(fs::path(name)) : std::nullopt;
  const char* path = std::getenv("PATH");
  for (const std::string& place : split(path ? path : "/usr/local/bin:/usr/bin:/bin", ':'))
    if (const auto file = fs::path(place) / name; !place.empty() && executable(file)) return file;
  return std::nullopt;
}

Finished execute(const Command& command) {
  static StolenTime hypervisor;
  if (command.is_measured) hypervisor.since_last();
  const auto begin = SteadyClock::now();
  Child child(command, false);
  Finished finished;
  Child::Reply reply = child.receive(command.limit);
  finished.seconds = seconds_since(begin);
  const auto first = command.is_measured ? first_thread(child.pid()) : std::nullopt;
  finished.status = child.kill();
  if (first) {
    const double stolen = hypervisor.since_last();
    finished.waits = waits_of_program(*first, finished.status.cpu, finished.seconds);
    finished.waits->longest = std::max(finished.waits->longest, stolen);
    finished.waits->together += stolen;
  }
  finished.output = child.output();
  finished.excess = std::move(reply.line);
  if (reply.event != Child::Event::ended) return finished;
  if (!command.hands_over) throw_if_all_were_asked_to_end(finished.status.signal);
  if (!finished.status.ok() && command.bounds.disk &&
      bytes_in(command.directory) >= command.bounds.disk)
    finished.excess = fmt::format("more than {} of disk", size_text(command.bounds.disk));
  return finished;
}

Child::Child(const Command& command, bool talks) : command_(command) {
  DescriptorPair output = output_pipe(), replies, requests;
  fcntl(output.parent.get(), F_SETFL, O_NONBLOCK);
  if (talks) {
    replies = output_pipe();
    requests = socket_pair();
    fcntl(replies.parent.get(), F_SETFL, O_NONBLOCK);
    // A hanging worker does not read: sending must end all the same.
    const timeval send_timeout{5, 0};
    setsockopt(requests.parent.get(), SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
  }
  spawned_ = spawn(command, requests.child.get(), replies.child.get(), output.child.get());
  limit_files(command.bounds, spawned_.pid);
  if (command.is_measured) go_before_neighbours(spawned_.pid);
  requests_ = std::move(requests.parent);
  replies_ = std::move(replies.parent);
  output_ = std::move(output.parent);
}

Child::~Child() { kill(); }

bool Child::send(const std::string& line) {
  if (status_) return false;
  const std::string text = line + '\n';
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t count =
        ::send(requests_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += count;
  }
  return true;
}

std::optional<Child::Reply> Child::buffered_line() {
  const size_t end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  Reply reply{Event::line, buffer_.substr(0, end)};
  buffer_.erase(0, end + 1);
  return reply;
}

void Child::drain_replies() {
  std::array<char, 1 << 16> block;
  while (buffer_.size() < longest_line) {
    const ssize_t count = read(replies_.get(), block.data(), block.size());
    if (count <= 0) return;
    buffer_.append(block.data(), count);
  }
}

Child::Reply Child::receive(std::chrono::milliseconds deadline) {
  constexpr int period = 50, most_poll = 1000;  // [ms]
  const Bounds& bounds = command_.bounds;
  const bool bounded = bounds.memory || bounds.disk || bounds.processes;
  auto end = SteadyClock::now() + deadline,
       look = SteadyClock::now() + std::chrono::milliseconds(period);
  bool replies_open = true, output_open = true;
  for (;;) {
    if (interrupted() && !command_.hands_over) {
      kill();
      throw Interrupted{};
    }
    if (auto line = buffered_line()) return *line;
    if (buffer_.size() >= longest_line) kill();
    if (status_) return {Event::ended, {}};
    std::array<pollfd, 4> waits{
        pollfd{replies_open ? replies_.get() : -1, POLLIN, 0},
        pollfd{output_open ? output_.get() : -1, POLLIN, 0},
        pollfd{spawned_.pid_fd.get(), POLLIN, 0},
        pollfd{command_.hands_over ? -1 : interruption_descriptor(), POLLIN, 0}};
    // Without pidfd_open the child's end is polled.
    const int often = spawned_.pid_fd.get() < 0 ? 20
                      : bounded                 ? milliseconds_until(look, period)
                                                : most_poll;
    const int wait_milliseconds =
        milliseconds_until(command_.hands_over ? end : std::min(end, TimeLimit::end()), often);
    const auto asleep = SteadyClock::now();
    poll(waits.data(), waits.size(), wait_milliseconds);
    // Then neither we nor our children ran meanwhile: a suspended job, a frozen container.
    const auto late = SteadyClock::now() - asleep - std::chrono::milliseconds(wait_milliseconds);
    if (late > std::chrono::seconds(1)) end += late;
    const bool ended = has_ended(spawned_.pid);
    output_open = take(output_.get(), command_, kept_);
    drain_replies();
    if (auto line = buffered_line()) return *line;
    if (ended) return {Event::ended, {}};
    // Once the child has closed its side, poll would return at once for ever.
    replies_open = replies_open && !(waits[0].revents & POLLHUP);
    const auto now = SteadyClock::now();
    if (bounded && now >= look) {
      look = now + std::chrono::milliseconds(period);
      std::string exceeded = excess(command_, spawned_.pid);
      if (!exceeded.empty()) return {Event::over_bounds, std::move(exceeded)};
    }
    timed_out_ = now >= end;
    if (timed_out_) return {Event::timed_out, {}};
  }
}

ExitStatus Child::kill() {
  if (status_) return *status_;
  status_ = end_child(spawned_.pid, spawned_.marker);
  status_->timed_out = timed_out_;
  take(output_.get(), command_, kept_);
  return *status_;
}

void Child::forget_output() {
  take(output_.get(), command_, kept_);
  kept_.clear();
}

std::string git_revision(const fs::path& folder) {
  if (!find_program("git")) return {};
  try {
    const std::string commit = asked(folder, {"rev-parse", "--short=12", "HEAD"});
    if (commit.empty()) return {};
    const bool changed =
        !asked(folder, {"status", "--porcelain", "--untracked-files=no", "--", "."}).empty();
    return commit + (changed ? " and changes" : "");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace rooftune::os
