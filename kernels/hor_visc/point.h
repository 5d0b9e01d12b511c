// What one iteration of a loop over a row computes: some points along the row, or some layers of
// one point; and how it divides and takes roots. The caller's rows are those of grid.h. Reads the
// KNOB_ macros.
#pragma once
#include "body.h"
#include "grid.h"

namespace hor_visc_kernel {

/// W neighbouring points of one layer.
template <int W>
struct AlongRow {
  using Value = rooftune::Vector<W>;
  static constexpr int step = W;
  /// Less zero, because -0 + 0 is not -0 and would take an instruction.
  ROOFTUNE_INLINE static Value spread(double x) { return x - Value{}; }
  ROOFTUNE_INLINE static Value metric(const double* row, std::int64_t i) {
    return rooftune::load<W>(row + i);
  }
  ROOFTUNE_INLINE static Value field(const double* row, std::int64_t i) {
    return rooftune::load<W>(row + i);
  }
  ROOFTUNE_INLINE static void put(double* row, std::int64_t i, Value v) {
    rooftune::store<W>(row + i, v);
  }
  ROOFTUNE_INLINE static void stream(double* row, std::int64_t i, Value v) {
    rooftune::stream<W>(row + i, v);
  }
};

/// One point left to the compiler to join with its neighbours.
struct Single {
  using Value = double;
  static constexpr int step = 1;
  ROOFTUNE_INLINE static double spread(double x) { return x; }
  ROOFTUNE_INLINE static double metric(const double* row, std::int64_t i) { return row[i]; }
  ROOFTUNE_INLINE static double field(const double* row, std::int64_t i) { return row[i]; }
  ROOFTUNE_INLINE static void put(double* row, std::int64_t i, double v) { row[i] = v; }
  ROOFTUNE_INLINE static void stream(double* row, std::int64_t i, double v) { row[i] = v; }
};

/// One point of W layers, which share its metric.
template <int W>
struct AlongLayers {
  using Value = rooftune::Vector<W>;
  static constexpr int step = 1;
  ROOFTUNE_INLINE static Value spread(double x) { return x - Value{}; }
  ROOFTUNE_INLINE static Value metric(const double* row, std::int64_t i) { return spread(row[i]); }
  ROOFTUNE_INLINE static Value field(const double* row, std::int64_t i) {
    return rooftune::load<W>(row + i * W);
  }
  ROOFTUNE_INLINE static void put(double* row, std::int64_t i, Value v) {
    rooftune::store<W>(row + i * W, v);
  }
  ROOFTUNE_INLINE static void stream(double* row, std::int64_t i, Value v) {
    rooftune::stream<W>(row + i * W, v);
  }
};

template <bool Layers, int W>
struct Choice {
  using Point = AlongRow<W>;
  using Rest = Single;
};
template <int W>
struct Choice<true, W> {
  using Point = AlongLayers<W>;
  using Rest = AlongLayers<W>;
};
template <>
struct Choice<false, 0> {
  using Point = Single;
  using Rest = Single;
};
constexpr int unroll = KNOB_UNROLL;
constexpr bool needs_vectors = KNOB_SIMD_WIDTH > 0 || KNOB_NT_STORE || KNOB_UNROLL > 1;
using Chosen = Choice<layers_inside, layers_inside || needs_vectors ? width : 0>;

#if defined(__AVX512F__)
using Eight = rooftune::Vector<8>;

/// 1 / x from a guess of 14 bits and two Newton steps.
ROOFTUNE_INLINE Eight newton_reciprocal(Eight x) {
  Eight r = __builtin_ia32_rcp14pd512_mask(x, Eight{}, 0xff);
  r = r + r * (1.0 - x * r);
  return r + r * (1.0 - x * r);
}
/// The root of x >= 0 from a guess of 1/root of 14 bits and two Newton steps.
ROOFTUNE_INLINE Eight newton_root(Eight x) {
  const Eight safe = x < 1e-300 ? Eight{} + 1e-300 : x;
  Eight r = __builtin_ia32_rsqrt14pd512_mask(safe, Eight{}, 0xff);
  r = r + 0.5 * r * (1.0 - safe * r * r);
  const Eight s = x * r;
  return s + 0.5 * r * (x - s * s);
}
#endif

template <class V>
ROOFTUNE_INLINE V quotient(V a, V b) {
#if defined(__AVX512F__)
  if constexpr (KNOB_DIVIDE == KNOB_DIVIDE_NEWTON && sizeof(V) == 64)
    return a * newton_reciprocal(b);
#endif
  return a / b;
}

template <class V>
ROOFTUNE_INLINE V root(V x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) {
    if constexpr (KNOB_ROOT == KNOB_ROOT_NEWTON) return newton_root(x);
#if defined(__clang__)
    return __builtin_ia32_sqrtpd512(x, 4);
#else
    return __builtin_ia32_sqrtpd512_mask(x, V{}, 0xff, 4);
#endif
  }
#endif
#if defined(__AVX__)
  if constexpr (sizeof(V) == 32) return __builtin_ia32_sqrtpd256(x);
#endif
  if constexpr (sizeof(V) == 8) {
    return square_root(x);
  } else {
    for (unsigned lane = 0; lane < sizeof(V) / 8; ++lane) x[lane] = square_root(x[lane]);
    return x;
  }
}

/// Asks for the line of point i in a row that is wanted later, as far as the second level.
ROOFTUNE_INLINE void announce(const double* row, std::int64_t i) {
  if (KNOB_PREFETCH > 0 && row) __builtin_prefetch(row + i * lanes, 0, 2);
}

/// Calls body(P, i) for the points [from, to), single ones up to the first at which `aligned`, if
/// any, lies on a vector's boundary; announces the row `ahead`, if any, as it goes.
template <class Body>
ROOFTUNE_INLINE void for_points(std::int64_t from, std::int64_t to, const double* aligned,
                                const double* ahead, const Body& body) {
  using Point = Chosen::Point;
  using Rest = Chosen::Rest;
  std::int64_t i = from;
  if constexpr (Point::step > 1) {
    if (aligned)
      for (const std::int64_t first = rooftune::aligned_from<Point::step>(aligned, from, to);
           i < first; ++i)
        body(Rest{}, i);
#pragma GCC unroll unroll
    for (; i + Point::step <= to; i += Point::step) {
      announce(ahead, i);
      body(Point{}, i);
    }
    for (; i < to; ++i) body(Rest{}, i);
  } else {
#pragma GCC ivdep
#pragma GCC unroll unroll
    for (; i < to; ++i) {
      announce(ahead, i);
      body(Point{}, i);
    }
  }
}

}  // namespace hor_visc_kernel
