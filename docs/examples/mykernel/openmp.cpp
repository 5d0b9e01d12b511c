// Horner's rule for OpenMP. Each step needs the one before, so speed comes from many points at
// once: SIMD_WIDTH points side by side in a vector, UNROLL vectors in flight.
#include <cstdint>

constexpr int width = KNOB_SIMD_WIDTH;
constexpr int unroll = KNOB_UNROLL;
#if KNOB_SIMD_WIDTH > 1
typedef double Points __attribute__((vector_size(8 * KNOB_SIMD_WIDTH), aligned(8), may_alias));
#else
typedef double Points;
#endif

/// width * unroll points from x to y.
static inline void block(std::int32_t degree, const double* c, const double* x, double* y) {
  Points at[unroll], value[unroll];
  for (int u = 0; u < unroll; ++u) {
    at[u] = *reinterpret_cast<const Points*>(x + u * width);
    value[u] = Points{} + c[degree];
  }
  for (std::int32_t k = degree - 1; k >= 0; --k)
    for (int u = 0; u < unroll; ++u) value[u] = value[u] * at[u] + c[k];
  for (int u = 0; u < unroll; ++u) *reinterpret_cast<Points*>(y + u * width) = value[u];
}

void horner(std::int64_t n, std::int32_t degree, const double* c, const double* x, double* y) {
  constexpr std::int64_t step = width * unroll;
  const std::int64_t whole = n / step;
#pragma omp parallel for schedule(runtime)
  for (std::int64_t b = 0; b < whole; ++b) block(degree, c, x + b * step, y + b * step);
  for (std::int64_t i = whole * step; i < n; ++i) {
    double value = c[degree];
    for (std::int32_t k = degree - 1; k >= 0; --k) value = value * x[i] + c[k];
    y[i] = value;
  }
}
