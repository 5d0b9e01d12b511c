// Elapsed time by a monotonic clock.
#pragma once
#include <chrono>

#include "core/modules.h"

namespace rooftune::core {

using SteadyClock = std::chrono::steady_clock;

inline double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

}  // namespace rooftune::core
