// Locks on files, which end with their process however it ends; the file names the holder. And
// locks on cores during timings: two timings on the same cores disturb each other, so on one
// computer they take turns. Each core has a file, locked as long as a process times there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/list.h"
#include "os/subprocess.h"

namespace rooftune::os {

/// True while the name still means this open file: the file or a folder above it may have been
/// removed or moved.
bool is_named(int file, const fs::path& name);

class FileLock {
 public:
  /// Makes the file where there is none; a folder can be locked, too. Absent when another process
  /// holds the lock; `holder` is then its text ("process 4711 on node3 since
  /// 2026-11-22T09:30:00Z"), or only the process and its user as the kernel knows them, where the
  /// file says something else. A file system without locks excludes no process. Throws Error
  /// (ExitCode::io) when the file cannot be made.
  static std::optional<FileLock> take(const fs::path& file, std::string& holder);

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

/// Takes the lock. While another process holds it, waits and names the holder once through `say`,
/// or, without `wait`, throws Error (ExitCode::busy). `what`: "study triad.openmp.4f...". Throws
/// Interrupted at the user's request. `while_held`, where given, is called before each wait.
FileLock lock_or_wait(const fs::path& file, const std::string& what, bool wait,
                      const TextCallback& say, const Callback& while_held = {});

struct TimingLocks {
  std::vector<FileLock> locks;
  std::string open_because;  ///< why other processes are not kept out; empty: they are
};
/// Takes locks by these names ("cpu3", a card's UUID) in $ROOFTUNE_LOCKS; else, for a core, on its
/// entry in /sys, which belongs to root, and for a card in /dev/shm: they hold for all users on
/// this computer, but not across containers. Where a file cannot be made there, as beside another
/// user's link, or where the holder is stopped, other processes are not kept out. `wait`: as for
/// lock_or_wait(). Throws Error (ExitCode::busy).
TimingLocks lock_for_timing(const Texts& names, bool wait, const TextCallback& say);

/// "cpu<the core's first CPU>" for every core that has one of these CPUs, sorted: locking always in
/// the same order avoids deadlocks.
Texts core_names(const Integers& cpus);

}  // namespace rooftune::os
