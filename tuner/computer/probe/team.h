// A team of pinned threads, and timed windows on it: barrier, every thread's own start and end. The
// caller sleeps meanwhile, unpinned; timed work neither throws nor blocks.
#pragma once
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/modules.h"

namespace rooftune::probe {

/// Lets `size` threads go together; the last to arrive wakes the others. Short waits spin, longer
/// ones sleep, to save the time slice of a waiting thread for its window.
class Barrier {
 public:
  Barrier(int size, int spins) : size_(size), spins_(spins) {}
  void wait();

 private:
  const int size_, spins_;
  std::atomic<int> arrived_{0};
  std::atomic<int> turn_{0};
};

/// Time and clock of one window.
struct Window {
  double seconds = 0;  ///< last end minus first start over the threads
  double clock = 0;    ///< core clock beside it [Hz], mean over the threads; 0 unknown
  bool steady = true;  ///< each thread read the same clock right before and right after
};

class Team {
 public:
  /// One thread per CPU, pinned to it, denormals flushed. Throws Error when a CPU cannot be pinned
  /// to.
  explicit Team(const std::vector<int>& cpus);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(members_.size()); }
  /// Runs work(0) ... work(threads - 1), each on its own thread, and waits; rethrows their
  /// exceptions.
  void run(int threads, const std::function<void(int)>& work);
  /// Runs `warm` untimed, then `count` windows of `work`; the clock is read with vectors of
  /// `clock_bits`.
  std::vector<Window> windows(int threads, int count, int clock_bits,
                              const std::function<void(int)>& warm,
                              const std::function<void(int)>& work);

 private:
  struct Member {
    std::thread thread;
    std::atomic<int> turn{0};
    std::exception_ptr fault;
  };
  void serve(int index);
  void stop();

  std::vector<std::unique_ptr<Member>> members_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<int> left_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace rooftune::probe
