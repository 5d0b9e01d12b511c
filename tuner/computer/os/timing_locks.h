// Locks of cores during timings: two timings on the same cores disturb each other, so they take
// turns on one computer. One file for each core, locked as long as a process times on it.
#pragma once
#include <sched.h>

#include <functional>
#include <string>
#include <vector>

#include "os/file_lock.h"
#include "os/topology.h"

namespace rooftune::os {

/// Locks of these names ("cpu3", "gpu0") in $ROOFTUNE_LOCKS, else /dev/shm: for all users of this
/// computer, but not across containers with a /dev/shm of their own. Where no file can be made
/// there, no process is excluded. `wait`: as for lock_or_wait(). Throws Error (ExitCode::busy).
std::vector<FileLock> lock_for_timing(const std::vector<std::string>& names, bool wait,
                                      const std::function<void(const std::string&)>& say);

/// "cpu<first CPU of the core>" of every core with a CPU of these, sorted: always locked in the
/// same order, against deadlocks.
std::vector<std::string> core_names(const std::vector<int>& cpus);

/// Locks of cores, and this thread and its children bound to their CPUs, as long as this lives.
class OwnCores {
 public:
  /// Takes `count` cores of `host` without timings by others, 0: all of them, at least one; of the
  /// NUMA nodes with the most free ones first. With too few free it waits and names the holders
  /// once through `say`, or, without `wait`, throws Error (ExitCode::busy). Throws Error where no
  /// locks can be made, since nothing would keep others from the same cores, and Interrupted.
  OwnCores(const Topology& host, int count, bool wait,
           const std::function<void(const std::string&)>& say);
  ~OwnCores();
  OwnCores(const OwnCores&) = delete;
  OwnCores& operator=(const OwnCores&) = delete;
  /// "cpu3", as core_names() has them.
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Core {
    std::string name;
    std::vector<int> cpus;
    FileLock lock;
  };
  std::vector<std::vector<Core>> free_cores(const Topology& host, std::string& busy) const;
  void keep(std::vector<std::vector<Core>> free, std::size_t count);

  std::vector<FileLock> locks_;
  std::vector<std::string> names_;
  std::vector<int> before_;  ///< CPUs of this thread before
};

}  // namespace rooftune::os
