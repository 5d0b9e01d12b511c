// A walk over more memory than the caches hold, for a cold start of the next call.
#pragma once
#include <optional>

#include "os/mapping.h"
#include "run/openmp_runtime.h"

namespace rooftune::run {

class CacheFlush {
 public:
  /// Nothing is allocated before the first walk. `bytes` 0: walks do nothing.
  explicit CacheFlush(std::size_t bytes) : bytes_(bytes) {}
  /// By the whole team, to empty every member's private caches as well.
  void walk(const OpenMpRuntime& openmp, int threads);

 private:
  std::size_t bytes_;
  std::optional<Mapping> buffer_;
};

}  // namespace rooftune::run
