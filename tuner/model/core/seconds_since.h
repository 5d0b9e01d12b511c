// Elapsed time of a monotonic clock.
#pragma once
#include <chrono>

#include "core/modules.h"

namespace rooftune::core {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace rooftune::core
