// Processes as shown by /proc: children, memory, marked ones; and what others take of the cores:
// who uses them, how long threads of ours waited, what a hypervisor gave away. Every answer may be
// out of date when it arrives.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/modules.h"
#include "core/seconds_since.h"
#include "core/unique.h"

namespace rooftune::os {

using ProcessIds = std::vector<pid_t>;

/// Direct children of a process (of all its threads).
ProcessIds children(pid_t pid);
/// Threads of a process.
ProcessIds threads_of(pid_t pid);
/// A thread or process that computes, or would on a free core.
bool is_running(pid_t id);
/// All visible processes.
ProcessIds processes();
/// This process and its descendants.
std::set<pid_t> own_processes();
/// The name of its program, of 15 characters at most; empty when it does not exist.
std::string process_name(pid_t pid);
/// CPU time so far of all living descendants of a process and of those they have reaped [s].
double descendants_cpu_seconds(pid_t pid);
/// Resident memory [B] of a process and all its descendants.
size_t resident_bytes(pid_t pid);
/// Processes (not this one) with an environment variable beginning with `marker`.
ProcessIds marked_processes(const std::string& marker);
/// Clock ticks from boot to the start of the process; 0 when it does not exist. With the pid it
/// identifies a process for ever.
uint64_t start_time(pid_t pid);
/// Processes killed for lack of memory since boot, on the whole system; -1 when unknown.
int64_t oom_kills();

/// Kills the descendants of a process, detached ones included, but not the process: a subreaper
/// keeps them all below it.
void end_descendants(pid_t pid);
/// Kills and reaps all children of this process.
void end_children();
/// Removes what clang's OpenMP has left in /dev/shm of a process that was killed.
void remove_shared_names(pid_t ended);
/// For a program with all its children from spawn(): end_strays() then needs no mark of a stray.
/// Nothing when there are children already, perhaps left behind by a shell.
void treat_all_children_as_own();
/// Kills and reaps unregistered children of ours: descendants of a child with `marker` or as the
/// leader of `group`, after its end.
void end_strays(const std::string& marker, pid_t group);

struct Neighbour {
  std::string name;
  pid_t pid;
  double cores;  ///< used on average
};

/// Watches all visible processes but this one and its descendants, from its construction on.
class Neighbours {
 public:
  Neighbours();
  /// Those that used a tenth of a core and more since, most first.
  std::vector<Neighbour> busy() const;

 private:
  SteadyClock::time_point begin_;
  std::map<pid_t, double> before_;  ///< CPU time [s]
};

/// "sh (pid 71) 0.98, cc1plus (pid 80) 0.5 and 2 more": the first three of them.
std::string to_text(const std::vector<Neighbour>& busy);

/// Since the last reading.
struct Waits {
  double longest = 0;  ///< one thread's, for a core [s]
  /// The time [s] by which the process may have been held up at most: the waits of all threads one
  /// after the other, with their caches filled anew after each.
  double together = 0;
  size_t active = 0;  ///< threads that ran or waited for a hundredth of the longest
  size_t cores = 0;   ///< that these may use
};

/// What one thread spent so far.
struct CoreTime {
  double cpu = 0, delay = 0;  ///< on a core, and ready to run without one [s]
  double turns = 0;           ///< on a core
};
/// What the first thread of a process spent, also of an ended one that nobody has reaped; nullopt
/// where the kernel does not count.
std::optional<CoreTime> first_thread(pid_t pid);
/// Those of an ended program as far as its first thread tells, whose CPU time is the least that the
/// run needs where others computed, too. `cpu`: all its threads' and processes', `seconds`: those
/// of the run [s]. What they did not get of the cores is the most that went to neighbours.
Waits waits_of_program(const CoreTime& first, double cpu, double seconds);

/// Where we may, the process and its neighbours share a core 99 to 1 from now on: of what they take
/// away, nothing could be learned. Not where the user wants us behind others (nice). The session of
/// the process is its own.
void go_before_neighbours(pid_t pid);

/// Waits of the threads of this process; after a fork, of the copy. A reading costs a system call
/// per thread, about a microsecond each.
class RunDelay : Unique {
 public:
  ~RunDelay() { close(); }
  void read();
  /// Reads again; nullopt where the kernel does not count. What a thread still waits for is not in
  /// it.
  std::optional<Waits> since_last();

 private:
  struct Thread {
    pid_t id;
    int file;
    std::optional<CoreTime> so_far = {};  ///< nullopt when it has ended
  };
  void open();
  void close();
  std::vector<Thread> threads_;
  pid_t process_ = 0;
  unsigned long links_ = 0;  ///< to the folder of threads: it moves with their number
};

/// Time that a hypervisor gave to others while a virtual core had work, in ticks of 10 ms.
class StolenTime {
 public:
  StolenTime() { since_last(); }
  /// The most of one core since the last reading [s].
  double since_last();

 private:
  std::vector<uint64_t> ticks_;  ///< stolen, by core
  SteadyClock::time_point read_;
  bool growing_ = true;
};

}  // namespace rooftune::os
