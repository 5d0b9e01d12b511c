// A walk over more memory than the caches hold: what makes the next call start cold.
#pragma once
#include <optional>

#include "os/mapping.h"
#include "run/openmp_runtime.h"

namespace rooftune::run {

class CacheFlush {
 public:
  /// Nothing is allocated before the first walk. `bytes` 0: walks do nothing.
  explicit CacheFlush(std::size_t bytes) : bytes_(bytes) {}
  /// By the whole team, so that every member's private caches are emptied as well.
  void walk(const OpenMpRuntime& openmp, int threads);

 private:
  std::size_t bytes_;
  std::optional<Mapping> buffer_;
};

}  // namespace rooftune::run
