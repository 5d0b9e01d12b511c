// A child process for requests and replies. Only wait() waits without a deadline.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/error.h"
#include "os/interruption.h"
#include "os/process_tree.h"
#include "os/spawn.h"
#include "os/subprocess.h"

namespace rooftune::os {
namespace {

constexpr int poll_milliseconds = 50;
constexpr std::size_t tail_bytes = 4 << 10;
/// A longer line is no reply of a working worker.
constexpr std::size_t longest_line = 16 << 20;

int opened_log(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), file.string());
  return fd;
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid;
}

}  // namespace

Child::Child(const Command& command, const std::filesystem::path& output_file,
             std::size_t output_limit)
    : file_(opened_log(output_file)), output_left_(output_limit) {
  DescriptorPair output = output_pipe(), replies = output_pipe(), requests = socket_pair();
  fcntl(output.parent.get(), F_SETFL, O_NONBLOCK);
  fcntl(replies.parent.get(), F_SETFL, O_NONBLOCK);
  // A hanging worker does not read: sending must end then too.
  const timeval send_timeout{5, 0};
  setsockopt(requests.parent.get(), SOL_SOCKET, SO_SNDTIMEO, &send_timeout, sizeof send_timeout);
  Spawned started = spawn(command, requests.child.get(), replies.child.get(), output.child.get());
  pid_ = started.pid;
  pid_fd_ = std::move(started.pid_fd);
  marker_ = started.marker;
  requests_ = std::move(requests.parent);
  replies_ = std::move(replies.parent);
  output_ = std::move(output.parent);
}

Child::~Child() { kill(); }

bool Child::send(const std::string& line) {
  if (status_) return false;
  const std::string text = line + '\n';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count =
        ::send(requests_.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Child::Reply> Child::buffered_line() {
  const std::size_t end = buffer_.find('\n');
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
    buffer_.append(block.data(), static_cast<std::size_t>(count));
  }
}

void Child::drain_output() {
  std::array<char, 1 << 16> block;
  // Bounded: a child printing without end must not delay the deadline.
  for (int round = 0; round < 64; ++round) {
    const ssize_t count = read(output_.get(), block.data(), block.size());
    if (count <= 0) return;
    const auto bytes = static_cast<std::size_t>(count);
    const std::size_t kept = std::min(bytes, output_left_);
    // A full disk costs the log, nothing else.
    if (kept > 0) (void)!write(file_.get(), block.data(), kept);
    output_left_ -= kept;
    tail_.append(block.data(), bytes);
    if (tail_.size() > tail_bytes) tail_.erase(0, tail_.size() - tail_bytes);
  }
}

Child::Reply Child::receive(std::chrono::milliseconds deadline, std::size_t memory_limit) {
  auto end = std::chrono::steady_clock::now() + deadline;
  auto next_look = std::chrono::steady_clock::now() + std::chrono::milliseconds(poll_milliseconds);
  bool replies_open = true, output_open = true;
  for (;;) {
    if (interrupted()) {
      kill();
      throw Interrupted{};
    }
    if (auto line = buffered_line()) return *line;
    if (buffer_.size() >= longest_line) kill();
    if (status_) return {Event::ended, {}};
    std::array<pollfd, 4> waits{pollfd{replies_open ? replies_.get() : -1, POLLIN, 0},
                                pollfd{output_open ? output_.get() : -1, POLLIN, 0},
                                pollfd{pid_fd_.get(), POLLIN, 0},
                                pollfd{interruption_descriptor(), POLLIN, 0}};
    const int wait_milliseconds =
        milliseconds_until(std::min(end, TimeLimit::end()), poll_milliseconds);
    const auto asleep = std::chrono::steady_clock::now();
    poll(waits.data(), waits.size(), wait_milliseconds);
    end += not_run(asleep, wait_milliseconds);
    const bool ended = has_ended(pid_);
    drain_output();
    drain_replies();
    if (auto line = buffered_line()) return *line;
    if (ended) return {Event::ended, {}};
    // After the child has closed its side poll would return at once for ever.
    replies_open = replies_open && !(waits[0].revents & POLLHUP);
    output_open = output_open && !(waits[1].revents & POLLHUP);
    const auto now = std::chrono::steady_clock::now();
    if (memory_limit > 0 && now >= next_look) {
      next_look = now + std::chrono::milliseconds(poll_milliseconds);
      over_memory_ = resident() > memory_limit;
      if (over_memory_) return {Event::over_memory, {}};
    }
    timed_out_ = now >= end;
    if (timed_out_) return {Event::timed_out, {}};
  }
}

ExitStatus Child::finish(bool kill_first) {
  if (status_) return *status_;
  if (!kill_first) {
    siginfo_t info{};
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
  }
  ExitStatus result = end_child(pid_, marker_);
  drain_output();
  result.timed_out = timed_out_;
  result.over_memory = over_memory_;
  status_ = result;
  return result;
}

ExitStatus Child::kill() { return finish(true); }

ExitStatus Child::wait() { return finish(false); }

std::size_t Child::resident() const { return status_ ? 0 : resident_bytes(pid_); }

void Child::forget_output() {
  drain_output();
  tail_.clear();
}

std::string Child::output_tail(std::size_t bytes) const {
  return tail_.size() <= bytes ? tail_ : tail_.substr(tail_.size() - bytes);
}

}  // namespace rooftune::os
