// Memory of a variant's own that outlives the call: reserve it in <function>_prepare.
// The caller keeps one per array and never calls reserve from two threads at once.
#pragma once
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <new>

namespace rooftune {

/// Doubles, aligned to `alignment` bytes, zeroed by the threads of a static loop (first touch).
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { release(); }

  /// At least `count` doubles; contents survive only when the memory was large enough already.
  double* reserve(std::int64_t count, bool huge_pages = false) {
    if (count <= count_) return start_;
    release();
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    start_ = static_cast<double*>(::operator new (bytes, std::align_val_t{alignment}));
    count_ = count;
#if defined(__linux__)
    if (huge_pages) madvise(start_, bytes, MADV_HUGEPAGE);
#else
    (void)huge_pages;
#endif
    double* const start = start_;
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) start[i] = 0;
    return start_;
  }

  /// A huge page of x86 and most of Arm.
  static constexpr std::size_t alignment = 2u << 20;

 private:
  void release() {
    if (start_) ::operator delete (start_, std::align_val_t{alignment});
    start_ = nullptr;
    count_ = 0;
  }

  double* start_ = nullptr;
  std::int64_t count_ = 0;
};

}  // namespace rooftune
