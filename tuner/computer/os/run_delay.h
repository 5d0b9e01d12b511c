// Time that threads waited for a core, as the kernel's scheduler counts it.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/modules.h"

namespace rooftune::os {

/// Since the last reading.
struct Waits {
  double longest = 0;  ///< of one thread, for a core [s]
  /// The time [s] by which the process may have been held up at most: the waits of all threads one
  /// after the other, with their caches filled anew after each.
  double together = 0;
  std::size_t active = 0;  ///< threads that ran or waited for a hundredth of the longest
  std::size_t cores = 0;   ///< that these may use
};

/// Of the threads of this process; after a fork, of the copy. A reading costs a system call per
/// thread, about a microsecond each.
class RunDelay {
 public:
  RunDelay() = default;
  ~RunDelay() { close(); }
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;
  void read();
  /// Reads again; nullopt where the kernel does not count. What a thread still waits for is not in
  /// it.
  std::optional<Waits> since_last();

 private:
  struct Thread {
    pid_t id;
    int file;
    double cpu = 0, delay = 0;  ///< [s]; -1 when it has ended
    double turns = 0;
    void read();
  };
  void open();
  void close();
  std::vector<Thread> threads_;
  pid_t process_ = 0;
  unsigned long links_ = 0;  ///< of the folder of threads: it moves with their number
};

/// Time that a hypervisor gave to others while a virtual core had work, in ticks of 10 ms.
class StolenTime {
 public:
  StolenTime() { since_last(); }
  /// The most of one core since the last reading [s].
  double since_last();

 private:
  std::vector<std::uint64_t> ticks_;  ///< stolen, by core
  std::chrono::steady_clock::time_point read_;
  bool growing_ = true;
};

}  // namespace rooftune::os
