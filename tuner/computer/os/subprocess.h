// Child processes: argv (never a shell), own group, die with their parent, and keep as much output
// as is wanted. vfork and exec start them, at a cost that does not grow with the parent's size;
// several threads may start children at once.
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

/// The system now lacks what any child needs: a process, memory, a descriptor. Starting was tried
/// twice; the command itself is not at fault.
class NoRoomForChild : public Error {
 public:
  NoRoomForChild(const std::string& message, const std::string& where);
};

/// How a child ended.
struct ExitStatus {
  std::optional<int> code;    ///< exit code
  std::optional<int> signal;  ///< or the signal that killed it
  bool timed_out = false;     ///< we killed it at its deadline
  double cpu = 0;             ///< CPU time that it and its reaped children took [s]
  bool ok() const { return code == 0; }
  std::string text() const;  ///< "exit code 3", "killed by SIGSEGV (invalid memory access)"
};

/// Limits for a command and all its children; 0: none. Checked twenty times a second, so the end
/// comes a little beyond them.
struct Bounds {
  /// Resident memory [B], not address space: GPU compilers reserve more address space than any
  /// machine has memory, and the system's own limit holds for each process, not for all.
  size_t memory = 0;
  size_t disk = 0;  ///< in any single file, and in its directory as a whole [B]
  size_t processes = 0;
};

struct Command {
  Texts argv;
  NamedTexts environment;                   ///< added to the parent's
  fs::path directory;                       ///< empty: the parent's
  std::string input;                        ///< on its standard input
  std::chrono::milliseconds limit{60'000};  ///< for execute()
  Texts without;                            ///< the parent's variables that are not passed on
  Bounds bounds;
  size_t kept_output = 64 << 10;  ///< [B]
  bool keeps_end = false;         ///< keeps the last part of a longer output, not the first
  /// The command hands work over to other processes, perhaps on this computer: its leftovers are
  /// not ours to end, and a request to end does not cut it short.
  bool hands_over = false;
  bool is_measured = false;  ///< it goes before its neighbours, and its waits are counted
};
using Commands = std::vector<Command>;

struct Finished {
  ExitStatus status;
  std::string output;  ///< stdout and stderr together, as much as is kept
  double seconds = 0;  ///< wall time from the process's start to its end
  /// Only where it is_measured: see waits_of_program(); includes what a hypervisor gave to others.
  /// nullopt where the kernel does not count.
  std::optional<Waits> waits = {};
  std::string excess;  ///< the bound for which it was killed, "more than 2 GB of memory"
};
/// How a child ended, from waitpid()'s status.
ExitStatus exit_status(int status);

/// The executable of `name`: a path, or a file on PATH; nullopt when there is none.
std::optional<fs::path> find_program(const std::string& name);

/// Runs to completion; kills the whole group at the limit. Throws Error only when it cannot start
/// (NoRoomForChild where nothing could). When the user wants an end (interruption.h), kills the
/// group and throws Interrupted.
Finished execute(const Command& command);

/// A child under way, asked and answered line by line.
class Child {
 public:
  /// `talks`: the child's descriptors 3 and 4 are for requests and replies. Its output is drained
  /// while we wait for it, and never blocks it. The child is killed when the calling thread ends.
  explicit Child(const Command& command, bool talks = true);
  ~Child();  ///< kills and reaps the group, its runaways (subreaper) included

  /// Writes one line (newline added); false when the child is gone.
  bool send(const std::string& line);
  enum class Event { line, ended, timed_out, over_bounds };
  struct Reply {
    Event event;
    std::string line;  ///< or the bound that it exceeded, "more than 2 GB of memory"
  };
  /// Waits for the next reply line, the child's end, the deadline, or until the command exceeds its
  /// bounds. When the user wants an end (interruption.h), kills the group and throws Interrupted.
  Reply receive(std::chrono::milliseconds deadline);
  /// Sends SIGKILL to the group; returns how the child ended, by itself before or now.
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

/// "0123456789ab", with " and changes" where the folder's tracked files differ from that commit;
/// empty outside a repository, without git, or where git does not answer within seconds.
std::string git_revision(const fs::path& folder);

}  // namespace rooftune::os
