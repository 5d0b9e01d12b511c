// Child processes: argv (never a shell), own group, die with their parent, as much of their output
// as is wanted. Started by vfork and exec, at a cost independent of the size of the parent; several
// threads may start children at once.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/modules.h"
#include "os/process_tree.h"
#include "os/spawn.h"

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
  double cpu = 0;             ///< its CPU time and that of what it reaped [s]
  bool ok() const { return code == 0; }
  std::string text() const;  ///< "exit code 3", "killed by SIGSEGV (invalid memory access)"
};

/// Limits of a command and all its children; 0: none. Checked twenty times a second: the end comes
/// a little beyond them.
struct Bounds {
  /// Resident memory [B], not address space: compilers for GPUs reserve more of the latter than any
  /// machine has, and the system's own limit holds for each process instead of all.
  size_t memory = 0;
  size_t disk = 0;  ///< in any one file, and in all in its directory together [B]
  size_t processes = 0;
};

struct Command {
  Texts argv;
  NamedTexts environment;                   ///< added to the parent's
  fs::path directory;                       ///< empty: the parent's
  std::string input;                        ///< on its standard input
  std::chrono::milliseconds limit{60'000};  ///< for execute()
  Texts without;                            ///< variables of the parent not passed on
  Bounds bounds;
  size_t kept_output = 64 << 10;  ///< [B]
  bool keeps_end = false;         ///< keeps a longer output's last part instead of its first
  /// It hands work over to other processes, perhaps on this computer: its leftovers are not ours to
  /// end, and a request to end does not cut it short.
  bool hands_over = false;
  bool is_measured = false;  ///< before its neighbours, and its waits are counted
};

struct Finished {
  ExitStatus status;
  std::string output;  ///< stdout and stderr together, as much as is kept
  double seconds = 0;  ///< wall time from the start to the end of the process
  /// Only where it is_measured: see waits_of_program(), and what a hypervisor gave to others;
  /// nullopt where the kernel does not count.
  std::optional<Waits> waits = {};
  std::string excess;  ///< the exceeded bound, "more than 2 GB of memory"; it was killed then
};
/// The exit in a status from waitpid().
ExitStatus exit_status(int status);

/// The executable of `name`: a path, or a file on PATH; nullopt when there is none.
std::optional<fs::path> find_program(const std::string& name);

/// Runs to completion; kills the whole group at the limit. Throws Error only when it cannot start
/// (NoRoomForChild where nothing could), and Interrupted, the group killed, when the user wants an
/// end (interruption.h).
Finished execute(const Command& command);

/// A child under way, asked and answered line by line.
class Child {
 public:
  /// `talks`: the child's descriptors 3 and 4 are for requests and replies. Its output is drained
  /// while we wait for it, and never blocks it. The child is killed at the end of the calling
  /// thread.
  explicit Child(const Command& command, bool talks = true);
  ~Child();  ///< kills and reaps the group, its runaways (subreaper) included

  /// Writes one line (newline added); false when the child is gone.
  bool send(const std::string& line);
  enum class Event { line, ended, timed_out, over_bounds };
  struct Reply {
    Event event;
    std::string line;  ///< or the exceeded bound, "more than 2 GB of memory"
  };
  /// Waits for the next reply line, the end of the child, the deadline or more than the command's
  /// bounds. Throws Interrupted, the group killed, when the user wants an end (interruption.h).
  Reply receive(std::chrono::milliseconds deadline);
  /// SIGKILL to the group; then how it ended, by itself before or now.
  ExitStatus kill();
  pid_t pid() const { return spawned_.pid; }
  /// Drops the output so far.
  void forget_output();
  /// As much as the command keeps.
  const std::string& output() const { return kept_; }

 private:
  std::optional<Reply> buffered_line();
  void drain_replies();

  Command command_;
  Spawned spawned_;
  Descriptor requests_, replies_, output_;
  std::string buffer_, kept_;
  bool timed_out_ = false;
  std::optional<ExitStatus> status_;
};

/// "0123456789ab", with " and changes" where tracked files of the folder differ from it; empty
/// outside a repository, without git, or where git does not answer within seconds.
std::string git_revision(const fs::path& folder);

}  // namespace rooftune::os
