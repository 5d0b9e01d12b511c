// Explicit Euler step for OpenMP: with every knob at its default, the loop that everybody writes
// first. The caller provides n elements in both arrays; they do not overlap.
#include <cstdint>

#include "body.h"
#include "rooftune/strips.h"
#include "rooftune/vector.h"

#if KNOB_SIMD_WIDTH > 0 || KNOB_UNROLL > 1 || KNOB_PREFETCH > 0

constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;

static inline void euler_strip(std::int64_t from, std::int64_t to, double a,
                               const double* __restrict x, double* __restrict y) {
  using namespace rooftune;
  constexpr std::int64_t stride = width * KNOB_UNROLL;
  std::int64_t i = from;
  for (; i + stride <= to; i += stride) {
    if (KNOB_PREFETCH > 0)
      for (std::int64_t line = 0; line < stride; line += 8) {
        prefetch(x + i + line, KNOB_PREFETCH);
        prefetch(y + i + line, KNOB_PREFETCH);
      }
#pragma GCC unroll 16
    for (int u = 0; u < KNOB_UNROLL; ++u) {
      const std::int64_t k = i + u * width;
      const Vector<width> v =
          euler_body::stepped<Vector<width>>(a, load<width>(x + k), load<width>(y + k));
      store<width>(y + k, v);
    }
  }
  for (; i < to; ++i) y[i] = euler_body::stepped(a, x[i], y[i]);
}

#else

static inline void euler_strip(std::int64_t from, std::int64_t to, double a,
                               const double* __restrict x, double* __restrict y) {
  for (std::int64_t i = from; i < to; ++i) y[i] = euler_body::stepped(a, x[i], y[i]);
}
#define COMPILER_VECTORS 1

#endif

void euler(std::int64_t n, double a, const double* x, double* y) {
#if defined(COMPILER_VECTORS) && KNOB_BLOCK == 0
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) y[i] = euler_body::stepped(a, x[i], y[i]);
#else
  rooftune::for_strips(0, n, KNOB_BLOCK,
                       [=](std::int64_t from, std::int64_t to) { euler_strip(from, to, a, x, y); });
#endif
}
