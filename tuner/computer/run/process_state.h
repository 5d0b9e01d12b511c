// Process-wide state that foreign code can change, and its restoration.
#pragma once
#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "core/list.h"
#include "core/modules.h"
#include "core/unique.h"
#include "os/process_tree.h"

namespace rooftune::run {

/// Taken before a variant runs, to undo its changes afterwards. Copies of a worker need none of
/// this, but a race has all its variants in one process, on the same memory.
class ProcessState : Unique {
 public:
  ProcessState();
  ~ProcessState();
  /// Puts back floating-point rounding and exceptions, working directory, file mode mask, limits,
  /// signal handlers and mask, interval timers, and the CPUs of the threads present then. Returns
  /// the part not restored ("the limit of open files"), or empty.
  std::string put_back() const;

 private:
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  std::array<struct sigaction, NSIG> actions_{};
  std::map<pid_t, cpu_set_t> cpus_;
  sigset_t mask_{};
  mode_t file_mask_;
  int directory_;
};

/// KMP_BLOCKTIME [ms]: idle libomp threads spin as long as libgomp's.
inline constexpr const char* short_spin = "1";

/// Resources in this process that grow where calls keep some.
struct Held {
  int64_t descriptors = 0, bytes = 0;  ///< bytes: memory, touched or not
};
Held held();
/// "each call keeps 128 KiB of memory; each call leaves 1 files open", or empty where `calls` calls
/// between the two kept less than a descriptor in two calls or 4 together, and less than 256 bytes
/// each or 16 MiB together, which the worker itself may take.
std::string growth(const Held& before, const Held& after, double calls);

/// Removes a folder and returns the first names in it.
Texts removed_files(const fs::path& folder);

/// CPU time by thread [s].
using ThreadTimes = std::map<pid_t, double>;
/// Counts all threads in this process but OpenMP's.
ThreadTimes cpu_seconds_beside(const PidSet& team);
/// All together, since that reading [s].
double cpu_seconds_since(const ThreadTimes& before, const PidSet& team);

/// True when threads besides OpenMP's compute on for `seconds` more CPU time.
bool leaves_thread_running(const PidSet& team, double seconds);

}  // namespace rooftune::run
