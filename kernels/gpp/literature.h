// Tiles of the kernel with the formulas as the literature writes them: both denominators divided
// out in every cell. The caller adds up `sums`, four numbers per energy.
#pragma once
#include "lanes.h"
#include "view.h"

namespace sigma_gpp::literature {

/// Sums of asx and ach, without what is multiplied in at the end of a row.
struct Sums {
  Complex<V> asx, ach;
};

ROOFTUNE_INLINE Terms<V> terms(const Pair<V>& p, double x, bool occupied) {
#if KNOB_CONDITIONAL == KNOB_CONDITIONAL_BRANCH
  return branched(p, x, occupied, Rules{});
#else
  return masked(p, x, occupied, Rules{});
#endif
}

ROOFTUNE_INLINE Pair<V> pair_at(const View& v, std::int64_t g, std::int64_t i) {
  const Complex<V> t = at(v.t, g, i), e = at(v.e, g, i);
  if (!stored) return pair(t, e, Rules{});
  return {t, e, at(v.t2, g, i), at(v.omega2, g, i), Rules::cutoff(e)};
}

ROOFTUNE_INLINE void add_terms(Sums& s, const Terms<V>& x, const Complex<V>& product, double v,
                               double occ, bool occupied) {
  if (KNOB_HOIST == KNOB_HOIST_NONE) {
    s.ach = s.ach + scaled(0.5 * v, x.sch * product);
    if (occupied) s.asx = s.asx + scaled(-v * occ, x.ssx * product);
  } else {
    s.ach = s.ach + x.sch * product;
    // Bands differ in occupation: only where they are outside it waits for the end of the row.
    if (occupied) s.asx = s.asx + (bands_inside ? scaled(occ, x.ssx * product) : x.ssx * product);
  }
}

/// One band, one G', a range of G. E energies from w on; 0: as many as `count`.
template <int E>
inline void row(const View& v, std::int64_t n, std::int64_t g, Range range, std::int64_t w,
                std::int64_t count, V* sums) {
  constexpr int most = E > 0 ? E : most_energies;
  if (E > 0) count = E;
  const bool occupied = v.occupied(n);
  const Complex<double> m = v.aqsm(n, g);
  Sums s[unroll][most];
  for (int u = 0; u < unroll; ++u)
    for (std::int64_t k = 0; k < count; ++k) s[u][k] = Sums{};
  for (std::int64_t i = range.from; i < range.to; i += stride)
#pragma GCC unroll 4
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t here = i + u * width;
      const Pair<V> p = pair_at(v, g, here);
      const Complex<V> a = at(v.a, n, here);
      const Complex<V> product = KNOB_HOIST == KNOB_HOIST_NONE ? conjugate_times(m, a) : a;
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < count; ++k)
        add_terms(s[u][k], terms(p, v.wx(n, w + k), occupied), product, v.v[g], v.occ[n], occupied);
    }
  for (int u = 0; u < unroll; ++u)
    for (std::int64_t k = 0; k < count; ++k) {
      Complex<V> asx = s[u][k].asx, ach = s[u][k].ach;
      if (KNOB_HOIST != KNOB_HOIST_NONE) {
        asx = scaled(-v.v[g] * v.occ[n], conjugate_times(m, asx));
        ach = scaled(0.5 * v.v[g], conjugate_times(m, ach));
      }
      add(sums + 4 * (w + k), asx, ach);
    }
}

/// `row` of one energy in a form that compilers turn into vectors.
inline void simd_row(const View& v, std::int64_t n, std::int64_t g, Range range, std::int64_t w,
                     V* sums) {
#if KNOB_SIMD_WIDTH == 0
  const bool occupied = v.occupied(n);
  const Complex<double> m = v.aqsm(n, g);
  const double x = v.wx(n, w), coulomb = v.v[g], occ = v.occ[n];
  double asx_re = 0, asx_im = 0, ach_re = 0, ach_im = 0;
  for (std::int64_t i = range.from; i < range.to; ++i) {
    const Complex<V> a = at(v.a, n, i);
    Sums s = {};
    add_terms(s, terms(pair_at(v, g, i), x, occupied),
              KNOB_HOIST == KNOB_HOIST_NONE ? conjugate_times(m, a) : a, coulomb, occ, occupied);
    asx_re += s.asx.re;
    asx_im += s.asx.im;
    ach_re += s.ach.re;
    ach_im += s.ach.im;
  }
  Complex<double> asx = {asx_re, asx_im}, ach = {ach_re, ach_im};
  if (KNOB_HOIST != KNOB_HOIST_NONE) {
    asx = scaled(-coulomb * occ, conjugate_times(m, asx));
    ach = scaled(0.5 * coulomb, conjugate_times(m, ach));
  }
  add(sums + 4 * w, asx, ach);
#endif
}

/// One G', `stride` vectors G, a run of bands.
template <int E>
inline void column(const View& v, std::int64_t g, std::int64_t i, Range bands, bool occupied,
                   std::int64_t w, std::int64_t count, V* sums) {
  constexpr int most = E > 0 ? E : most_energies;
  if (E > 0) count = E;
  Sums s[unroll][most];
  Pair<V> p[unroll];
  for (int u = 0; u < unroll; ++u) {
    p[u] = pair_at(v, g, i + u * width);
    for (std::int64_t k = 0; k < count; ++k) s[u][k] = Sums{};
  }
  for (std::int64_t n = bands.from; n < bands.to; ++n) {
    const Complex<double> m = v.aqsm(n, g);
#pragma GCC unroll 4
    for (int u = 0; u < unroll; ++u) {
      const Complex<V> product = conjugate_times(m, at(v.a, n, i + u * width));
#pragma GCC unroll 4
      for (std::int64_t k = 0; k < count; ++k)
        add_terms(s[u][k], terms(p[u], v.wx(n, w + k), occupied), product, v.v[g], v.occ[n],
                  occupied);
    }
  }
  const double asx_factor = KNOB_HOIST == KNOB_HOIST_NONE ? 1 : -v.v[g];
  const double ach_factor = KNOB_HOIST == KNOB_HOIST_NONE ? 1 : 0.5 * v.v[g];
  for (int u = 0; u < unroll; ++u)
    for (std::int64_t k = 0; k < count; ++k)
      add(sums + 4 * (w + k), scaled(asx_factor, s[u][k].asx), scaled(ach_factor, s[u][k].ach));
}

}  // namespace sigma_gpp::literature
