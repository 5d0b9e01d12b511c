// Two-point average for OpenMP: with every knob at its default, the loop that everybody writes
// first. The caller provides n + shift elements in x and n in y; they do not overlap.
#include <cstdint>

#include "body.h"
#include "rooftune/strips.h"
#include "rooftune/vector.h"

constexpr bool factored = KNOB_FORM == KNOB_FORM_FACTORED;
using finite_difference_body::averaged;

#define SHUFFLE (KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE)

#if KNOB_SIMD_WIDTH > 0 || KNOB_UNROLL > 1 || KNOB_NT_STORE || KNOB_PREFETCH > 0 || SHUFFLE

constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;

static inline void difference_strip(std::int64_t from, std::int64_t to, std::int64_t shift,
                                    double a, const double* __restrict x, double* __restrict y) {
  using namespace rooftune;
  constexpr std::int64_t stride = width * KNOB_UNROLL;
  std::int64_t i = from;
  // Streamed stores fault on unaligned addresses.
  if (KNOB_NT_STORE)
    for (const std::int64_t first = aligned_from<width>(y, from, to); i < first; ++i)
      y[i] = averaged<factored>(a, x[i], x[i + shift]);
  // Registers beside hold the nearest neighbour only.
  const bool shuffle = SHUFFLE && shift == 1;
  // The shuffle looks one whole vector ahead, of which only the first element is sure to exist.
  const std::int64_t last = shuffle ? to + 1 - width : to;
  Vector<width> here = {};
  if (shuffle && i + stride <= last) here = load<width>(x + i);
  for (; i + stride <= last; i += stride) {
    if (KNOB_PREFETCH > 0)
      for (std::int64_t line = 0; line < stride; line += 8) prefetch(x + i + line, KNOB_PREFETCH);
#pragma GCC unroll 16
    for (int u = 0; u < KNOB_UNROLL; ++u) {
      const std::int64_t k = i + u * width;
      Vector<width> v;
      if (shuffle) {
        const Vector<width> next = load<width>(x + k + width);
        v = averaged<factored, Vector<width>>(a, here, shifted_right<width>(here, next));
        here = next;
      } else {
        v = averaged<factored, Vector<width>>(a, load<width>(x + k), load<width>(x + k + shift));
      }
      KNOB_NT_STORE ? stream<width>(y + k, v) : store<width>(y + k, v);
    }
  }
  for (; i < to; ++i) y[i] = averaged<factored>(a, x[i], x[i + shift]);
  if (KNOB_NT_STORE) stream_fence();
}

#else

static inline void difference_strip(std::int64_t from, std::int64_t to, std::int64_t shift,
                                    double a, const double* __restrict x, double* __restrict y) {
  for (std::int64_t i = from; i < to; ++i) y[i] = averaged<factored>(a, x[i], x[i + shift]);
}
#define COMPILER_VECTORS 1

#endif

void finite_difference(std::int64_t n, std::int64_t shift, double a, const double* x, double* y) {
#if defined(COMPILER_VECTORS) && KNOB_BLOCK == 0
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) y[i] = averaged<factored>(a, x[i], x[i + shift]);
#else
  rooftune::for_strips(0, n, KNOB_BLOCK, [=](std::int64_t from, std::int64_t to) {
    difference_strip(from, to, shift, a, x, y);
  });
#endif
}
