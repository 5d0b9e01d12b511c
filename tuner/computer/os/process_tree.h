// Processes as /proc shows them: children, memory, marked ones. And what others take from the
// cores: who uses them, how long our threads waited, what a hypervisor gave away. Every answer may
// be out of date when it arrives.
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
using PidSet = std::set<pid_t>;

/// A process's direct children (all its threads').
ProcessIds children(pid_t pid);
/// A process's threads.
ProcessIds threads_of(pid_t pid);
/// A thread or process that computes, or would on a free core.
bool is_running(pid_t id);
/// All visible processes.
ProcessIds processes();
/// This process and its descendants.
PidSet own_processes();
/// The process's program name, 15 characters at most; empty when the process does not exist.
std::string process_name(pid_t pid);
/// CPU time that all living descendants of a process, and those that they have reaped, took so far
/// [s].
double descendants_cpu_seconds(pid_t pid);
/// Resident memory [B] that a process and all its descendants hold.
size_t resident_bytes(pid_t pid);
/// Processes (not this one) with an environment variable beginning with `marker`.
ProcessIds marked_processes(const std::string& marker);
/// Clock ticks from boot to the process's start; 0 when it does not exist. With the pid it
/// identifies a process for ever.
uint64_t start_time(pid_t pid);
/// How many processes the whole system has killed since boot for lack of memory; -1 when unknown.
int64_t oom_kills();

/// Kills a process's descendants, detached ones included, but not the process: as a subreaper it
/// keeps them all below it.
void end_descendants(pid_t pid);
/// Kills and reaps all children of this process.
void end_children();
/// Removes what clang's OpenMP left in /dev/shm when its process was killed.
void remove_shared_names(pid_t ended);
/// For a program that starts all its children by spawn(): end_strays() then needs no mark on a
/// stray. Does nothing when there are children already, perhaps left behind by a shell.
void treat_all_children_as_own();
/// Kills and reaps our unregistered children: what a child that has ended left behind, known by its
/// `marker` or by the `group` that it led.
void end_strays(const std::string& marker, pid_t group);

struct Neighbour {
  std::string name;
  pid_t pid;
  double cores;  ///< how many it used on average
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

/// "sh (pid 71) 0.98, cc1plus (pid 80) 0.5 and 2 more": names the first three.
std::string to_text(const std::vector<Neighbour>& busy);

/// How long threads waited for a core since the last reading.
struct Waits {
  double longest = 0;  ///< one thread's, for a core [s]
  /// The longest time [s] by which the process may have been held up: all threads' waits, one after
  /// the other, with their caches filled anew after each.
  double together = 0;
  size_t active = 0;  ///< threads that ran or waited for a hundredth of the longest
  size_t cores = 0;   ///< cores that these threads may use
};

/// What a thread spent so far.
struct CoreTime {
  double cpu = 0, delay = 0;  ///< on a core, and ready to run without one [s]
  double turns = 0;           ///< how often it came onto a core
};
/// What a process's first thread spent, even if the process has ended and nobody has reaped it;
/// nullopt where the kernel does not count.
std::optional<CoreTime> first_thread(pid_t pid);
/// An ended program's waits, as far as its first thread tells: that thread's CPU time is the least
/// that the run needs where other threads computed, too. `cpu`: what all its threads and processes
/// took, `seconds`: the run's length [s]. At most the core time that they did not get went to
/// neighbours.
Waits waits_of_program(const CoreTime& first, double cpu, double seconds);

/// Where we may, the process gets 99 parts of a core from now on and its neighbours 1: nothing
/// could be learned from the time that they take away. Not where the user wants us behind others
/// (nice). The process must lead its own session.
void go_before_neighbours(pid_t pid);

/// How long this process's threads wait for a core; after a fork, the copy's threads. A reading
/// costs a system call per thread, about a microsecond each.
class RunDelay : Unique {
 public:
  ~RunDelay() { close(); }
  void read();
  /// Reads again; nullopt where the kernel does not count. A wait that has not ended does not
  /// count.
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
  unsigned long links_ = 0;  ///< the thread folder's links: changes with the thread count
};

/// Time that a hypervisor gave to others while a virtual core had work, in ticks of 10 ms.
class StolenTime {
 public:
  StolenTime() { since_last(); }
  /// The most that any core lost since the last reading [s].
  double since_last();

 private:
  std::vector<uint64_t> ticks_;  ///< stolen, by core
  SteadyClock::time_point read_;
  bool growing_ = true;
};

}  // namespace rooftune::os
