// Locks of cores during timings: two timings on the same cores disturb each other, so they take
// turns on one computer. One file for each core, locked as long as a process times on it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "os/file_lock.h"

namespace rooftune::os {

/// Locks of these names ("cpu3", "gpu0") in $ROOFTUNE_LOCKS, else /dev/shm: for all users of this
/// computer, but not across containers with a /dev/shm of their own. Where no file can be made
/// there, no process is excluded. `wait`: as for lock_or_wait(). Throws Error (ExitCode::busy).
std::vector<FileLock> lock_for_timing(const std::vector<std::string>& names, bool wait,
                                      const std::function<void(const std::string&)>& say);

/// The file behind the lock of this name, lockable for every user.
std::filesystem::path timing_lock_file(const std::string& name);

/// The least number among the CPUs of one core.
int first_cpu_of_core(int cpu);
/// "cpu<first CPU of the core>" of every core with a CPU of these, sorted: always locked in the
/// same order, against deadlocks.
std::vector<std::string> core_names(const std::vector<int>& cpus);

}  // namespace rooftune::os
