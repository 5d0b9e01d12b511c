#include "os/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rooftune::os {

void in_parallel(size_t count, size_t threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr fault;
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (!fault) fault = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (size_t t = 1; t < std::min(count, threads); ++t) others.emplace_back(run);
    run();
  }
  if (fault) std::rethrow_exception(fault);
}

}  // namespace rooftune::os
