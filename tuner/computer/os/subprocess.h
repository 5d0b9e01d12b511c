// A child process: argv (never a shell), own group, dies with its parent, output to capped files.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace rooftune::os {

/// The system lacks what any child needs now: a process, memory, a descriptor. It says nothing
/// about the command, which has been tried twice.
class NoRoomForChild : public Error {
 public:
  NoRoomForChild(const std::string& message, const std::string& where);
};

/// How a child ended.
struct ExitStatus {
  std::optional<int> code;    ///< exit code
  std::optional<int> signal;  ///< or its killing signal
  bool timed_out = false;     ///< we killed it at its deadline
  bool over_memory = false;   ///< we killed it over its memory limit
  bool ok() const { return code == 0; }
  std::string text() const;  ///< "exit code 3", "killed by SIGSEGV (invalid memory access)"
};

/// Limits of a command and all its children; 0: none. Checked ten times a second: the end comes a
/// little beyond them.
struct Bounds {
  /// Resident memory [B], not address space: compilers for GPUs reserve more of the latter than any
  /// machine has, and the system's own limit holds for each process instead of all.
  std::size_t memory = 0;
  std::size_t disk = 0;  ///< of any one file, and of all in its directory together [B]
  std::size_t processes = 0;
};

struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  ///< added to the parent's
  std::filesystem::path directory;                 ///< empty: the parent's
  std::string input;                               ///< on its standard input
  std::chrono::milliseconds limit{60'000};
  std::vector<std::string> without;    ///< variables of the parent not passed on
  Bounds bounds;                       ///< of execute()
  std::size_t kept_output = 64 << 10;  ///< of execute() [B]
  bool keeps_end = false;              ///< of a longer output its last part instead of its first
  /// It hands work over to other processes, perhaps on this computer: its leftovers are not ours to
  /// end, and a request to end does not cut it short.
  bool hands_over = false;
};

struct Finished {
  ExitStatus status;
  std::string output;  ///< stdout and stderr together, as much as is kept
  double seconds = 0;  ///< wall time from the start to the end of the process
  std::string excess;  ///< the exceeded bound, "more than 2 GB of memory"; it was killed then
};
/// Of a status from waitpid().
ExitStatus exit_status(int status);

/// The executable of `name`: a path, or a file on PATH; nullopt when there is none.
std::optional<std::filesystem::path> find_program(const std::string& name);

/// Runs to completion; kills the whole group at the limit. Throws Error only when it cannot start
/// (NoRoomForChild where nothing could), and Interrupted, the group killed, when the user wants an
/// end (interruption.h).
Finished execute(const Command& command);

/// Owns one file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

/// A child with two pipes for requests and replies (its descriptors `request_fd` and `reply_fd`).
class Child {
 public:
  /// The child's descriptors are 3 (requests) and 4 (replies). Its output is drained while we wait
  /// for it, and never blocks it; the first `output_limit` bytes go to `output_file`, the rest is
  /// dropped. The child is killed at the end of the calling thread.
  explicit Child(const Command& command, const std::filesystem::path& output_file,
                 std::size_t output_limit);
  ~Child();  ///< kills and reaps the group, its runaways (subreaper) included
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Writes one line (newline added); false when the child is gone.
  bool send(const std::string& line);
  enum class Event { line, ended, timed_out, over_memory };
  struct Reply {
    Event event;
    std::string line;
  };
  /// Waits for the next reply line, the end of the child, the deadline or resident memory (RSS of
  /// the group, polled every 50 ms) above `memory_limit` bytes (0: none). Throws Interrupted, the
  /// group killed, when the user wants an end (interruption.h).
  Reply receive(std::chrono::milliseconds deadline, std::size_t memory_limit);
  /// SIGKILL to the group; then how it ended.
  ExitStatus kill();
  /// Waits for the natural end (after event `ended`).
  ExitStatus wait();
  pid_t pid() const { return pid_; }
  /// Resident memory of the child and its descendants now [B].
  std::size_t resident() const;
  /// Drops the output so far from the tail.
  void forget_output();
  /// The last bytes of its output; at most 4 KiB are kept.
  std::string output_tail(std::size_t bytes) const;

 private:
  std::optional<Reply> buffered_line();
  void drain_replies();
  void drain_output();
  ExitStatus finish(bool kill_first);

  pid_t pid_ = -1;
  Descriptor file_, requests_, replies_, output_, pid_fd_;
  std::string buffer_, marker_, tail_;
  std::size_t output_left_ = 0;
  bool timed_out_ = false, over_memory_ = false;
  std::optional<ExitStatus> status_;
};

}  // namespace rooftune::os
