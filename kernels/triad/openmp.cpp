// STREAM triad for OpenMP: with every knob at its default, the loop that everybody writes first.
// The caller provides n elements in each array; a overlaps neither b nor c.
#include <cstdint>

#include "rooftune/strips.h"
#include "rooftune/vector.h"

#if KNOB_SIMD_WIDTH > 0 || KNOB_UNROLL > 1 || KNOB_NT_STORE || KNOB_PREFETCH > 0

constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;

static inline void triad_strip(std::int64_t from, std::int64_t to, double s,
                               const double* __restrict b, const double* __restrict c,
                               double* __restrict a) {
  using namespace rooftune;
  constexpr std::int64_t stride = width * KNOB_UNROLL;
  std::int64_t i = from;
  // Streamed stores fault on unaligned addresses.
  if (KNOB_NT_STORE)
    for (const std::int64_t first = aligned_from<width>(a, from, to); i < first; ++i)
      a[i] = b[i] + s * c[i];
  for (; i + stride <= to; i += stride) {
    if (KNOB_PREFETCH > 0)
      for (std::int64_t line = 0; line < stride; line += 8) {
        prefetch(b + i + line, KNOB_PREFETCH);
        prefetch(c + i + line, KNOB_PREFETCH);
      }
#pragma GCC unroll 16
    for (int u = 0; u < KNOB_UNROLL; ++u) {
      const std::int64_t k = i + u * width;
      const Vector<width> v = load<width>(b + k) + s * load<width>(c + k);
      KNOB_NT_STORE ? stream<width>(a + k, v) : store<width>(a + k, v);
    }
  }
  for (; i < to; ++i) a[i] = b[i] + s * c[i];
  if (KNOB_NT_STORE) stream_fence();
}

#else

static inline void triad_strip(std::int64_t from, std::int64_t to, double s,
                               const double* __restrict b, const double* __restrict c,
                               double* __restrict a) {
  for (std::int64_t i = from; i < to; ++i) a[i] = b[i] + s * c[i];
}
#define COMPILER_VECTORS 1

#endif

void triad(std::int64_t n, double s, const double* b, const double* c, double* a) {
#if defined(COMPILER_VECTORS) && KNOB_BLOCK == 0
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
#else
  rooftune::for_strips(0, n, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
    triad_strip(from, to, s, b, c, a);
  });
#endif
}
