// Time that threads waited for a core, as the kernel's scheduler counts it.
#pragma once
#include <sys/types.h>

#include <optional>
#include <vector>

#include "core/modules.h"

namespace rooftune::os {

/// Of the threads of this process; after a fork, of the copy. A reading costs a system call per
/// thread, about a microsecond each.
class RunDelay {
 public:
  RunDelay() = default;
  ~RunDelay() { close(); }
  RunDelay(const RunDelay&) = delete;
  RunDelay& operator=(const RunDelay&) = delete;
  void read();
  /// Reads again: the longest wait of one thread since the last reading [s]; nullopt where the
  /// kernel does not count. What a thread still waits for is not in it.
  std::optional<double> longest_since_last();

 private:
  struct Thread {
    pid_t id;
    int file;
    double delay;  ///< [s]
  };
  void open();
  void close();
  std::vector<Thread> threads_;
  pid_t process_ = 0;
  unsigned long links_ = 0;  ///< of the folder of threads: it moves with their number
};

}  // namespace rooftune::os
