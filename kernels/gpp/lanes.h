// Reciprocals and roots of short vectors, and the ways to divide complex numbers that are a knob.
// Denominators are finite and not zero.
#pragma once
#include "knobs.h"
#include "rules.h"

namespace sigma_gpp {

/// 1/v to 14 bits or better.
ROOFTUNE_INLINE V approximate(const V& v) {
#if KNOB_SIMD_WIDTH == 0
  // Squares of energies fit the range of float.
  return static_cast<double>(1.0f / static_cast<float>(v));
#elif KNOB_SIMD_WIDTH == 8 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_rcp14pd512_mask(v, V{}, 0xff);
#elif KNOB_SIMD_WIDTH == 4 && defined(__AVX512VL__) && !defined(__clang__)
  return __builtin_ia32_rcp14pd256_mask(v, V{}, 0xf);
#elif KNOB_SIMD_WIDTH == 2 && defined(__AVX512VL__) && !defined(__clang__)
  return __builtin_ia32_rcp14pd128_mask(v, V{}, 0x3);
#else
  typedef float Floats __attribute__((vector_size(4 * width)));
  return __builtin_convertvector(1.0f / __builtin_convertvector(v, Floats), V);
#endif
}

ROOFTUNE_INLINE V inverse(const V& v) {
  if (!newton) return 1.0 / v;
  // Each step doubles the number of right bits.
  V r = approximate(v);
  r = r + r * (1.0 - v * r);
  return r + r * (1.0 - v * r);
}

ROOFTUNE_INLINE V square_root(const V& v) {
#if KNOB_SIMD_WIDTH == 0
  return __builtin_sqrt(v);
#elif KNOB_SIMD_WIDTH == 8 && defined(__AVX512F__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd512_mask(v, v, 0xff, 4);
#elif KNOB_SIMD_WIDTH == 4 && defined(__AVX__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd256(v);
#elif KNOB_SIMD_WIDTH == 2 && defined(__SSE2__) && !defined(__clang__)
  return __builtin_ia32_sqrtpd(v);
#else
  V root = {};
  for (int k = 0; k < width; ++k) root[k] = __builtin_sqrt(v[k]);
  return root;
#endif
}

/// Of a number or of the lanes of a vector.
template <class T>
ROOFTUNE_INLINE double sum_of_lanes(const T& v) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return v;
  } else {
    double sum = 0;
    for (int k = 0; k < width; ++k) sum += v[k];
    return sum;
  }
}

/// What V brings to the shared formulas.
struct Numbers {
  static ROOFTUNE_INLINE V inverse(const V& v) { return sigma_gpp::inverse(v); }
  static ROOFTUNE_INLINE V square_root(const V& v) { return sigma_gpp::square_root(v); }
  static ROOFTUNE_INLINE Complex<V> smith(const Complex<V>& a, const Complex<V>& b) {
    const auto real_larger = absolute(b.re) >= absolute(b.im);
    const V large = select(real_larger, b.re, b.im), small = select(real_larger, b.im, b.re);
    const V ratio = small / large, scale = large + small * ratio;
    const V re = select(real_larger, a.re + a.im * ratio, a.re * ratio + a.im);
    const V im = select(real_larger, a.im - a.re * ratio, a.im * ratio - a.re);
    return {re / scale, im / scale};
  }
};

using Rules = RulesOf<V, Numbers,
                      KNOB_DIVISION == KNOB_DIVISION_COMPLEX ? Division::smith
                      : KNOB_DIVISION == KNOB_DIVISION_REAL  ? Division::real
                                                             : Division::reciprocal,
                      KNOB_MAGNITUDE == KNOB_MAGNITUDE_ABS>;

}  // namespace sigma_gpp
