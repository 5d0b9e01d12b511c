// One word of every cache line of a large buffer, read and written.
#include "run/cache_flush.h"

namespace rooftune::run {

void CacheFlush::walk(const OpenMpRuntime& openmp, int threads) {
  if (bytes_ == 0) return;
  if (!buffer_) buffer_.emplace(bytes_, page_bytes());
  constexpr std::size_t line_bytes = 64;
  auto* const words = reinterpret_cast<volatile unsigned char*>(buffer_->start());
  openmp.parallel_for(threads, static_cast<std::int64_t>(buffer_->size() / line_bytes),
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t line = begin; line < end; ++line) {
                          const std::size_t at = static_cast<std::size_t>(line) * line_bytes;
                          words[at] = static_cast<unsigned char>(words[at] + 1);
                        }
                      });
}

}  // namespace rooftune::run
