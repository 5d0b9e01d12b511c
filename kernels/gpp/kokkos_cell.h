// What a Kokkos thread does: all bands of one G' and one G, for E energies. The caller adds up the
// sums of threads. Reads the KNOB_ macros of kokkos.cpp.
#pragma once
#include "rules.h"

namespace sigma_gpp {

/// Re, Im of asx and of ach for E energies; a sum that Kokkos can reduce.
template <int E>
struct Sums {
  double s[4 * E];

  KOKKOS_INLINE_FUNCTION Sums() {
    for (int k = 0; k < 4 * E; ++k) s[k] = 0;
  }
  KOKKOS_INLINE_FUNCTION Sums& operator+=(const Sums& other) {
    for (int k = 0; k < 4 * E; ++k) s[k] += other.s[k];
    return *this;
  }
  /// Kokkos 3 joins through volatile references.
  KOKKOS_INLINE_FUNCTION void operator+=(const volatile Sums& other) volatile {
    for (int k = 0; k < 4 * E; ++k) s[k] = s[k] + other.s[k];
  }
};

/// Device pointers and sizes.
struct Arrays {
  std::int64_t nb, ng, nc, nw;
  const double *t, *e, *a;
  std::int64_t a_n, a_i;  ///< doubles from one band, one G to the next in a
  const double *m, *v, *occ, *x;
};

/// aqsm and wx of one G' and some energies, wherever they lie.
struct Bands {
  const double *m, *x;
  std::int64_t m_n, x_n;
};

ROOFTUNE_FUNCTION Bands bands_of(const Arrays& k, std::int64_t g, std::int64_t w) {
  return {k.m + 2 * g, k.x + w, 2 * k.ng, k.nw};
}

ROOFTUNE_FUNCTION Complex<double> element(const double* data, std::int64_t at) {
  return {data[at], data[at + 1]};
}

struct Numbers {
  static ROOFTUNE_FUNCTION double inverse(double x) { return 1 / x; }
  static ROOFTUNE_FUNCTION double square_root(double x) { return sqrt(x); }
};

using Rules =
    RulesOf<double, Numbers,
            KNOB_DIVISION == KNOB_DIVISION_RECIPROCAL ? Division::reciprocal : Division::real,
            KNOB_MAGNITUDE == KNOB_MAGNITUDE_ABS>;

#if KNOB_FORMULA == KNOB_FORMULA_FRACTIONS

/// 2 sch/(e t) and 2 ssx/(e t) of one cell, imaginary parts without Im(t).
struct Parts {
  Reduced<double> far, exchange;
};
ROOFTUNE_FUNCTION Parts parts(const Pole<double>& t, double x, bool occupied) {
  const Distance<double> d = below(t, x);
  Parts p = {far_part(t, d, 1 / d.square), {0, 0}};
  if (!occupied) return p;
  const Distance<double> s = above(t, x);
  const Reduced<double> all = exchange_part(s, p.far, 1 / s.square);
  const bool near_enough = !may_vanish(t) || reach(t, d) > 0;
  if (near_enough && !(size(t, all) > exchange_cutoff(x))) p.exchange = all;
  return p;
}

template <int E>
ROOFTUNE_FUNCTION void column(const Arrays& k, const Bands& bands, std::int64_t g, std::int64_t i,
                              Sums<E>& sums) {
  const Complex<double> t = element(k.t, 2 * (g * k.nc + i));
  const Pole<double> p = pole(t);
  Moments<double> moments[2 * E] = {};  // asx of E energies, then ach
  for (std::int64_t n = 0; n < k.nb; ++n) {
    const bool occupied = KNOB_UNOCCUPIED == KNOB_UNOCCUPIED_COMPUTE || k.occ[n] != 0;
    const Complex<double> product =
        conjugate_times(element(bands.m, n * bands.m_n), element(k.a, n * k.a_n + i * k.a_i));
    const Complex<double> filled = scaled(k.occ[n], product);
    for (int c = 0; c < E; ++c) {
      const Parts of = parts(p, bands.x[n * bands.x_n + c], occupied);
      moments[c].add(filled, of.exchange);
      moments[E + c].add(product, of.far);
    }
  }
  const Complex<double> weight = scaled(0.5 * k.v[g], t * element(k.e, 2 * (g * k.nc + i)));
  for (int c = 0; c < 2 * E; ++c) {
    const Complex<double> sum = weight * moments[c].whole(t.im);
    const double sign = c < E ? -1 : 1;
    sums.s[4 * (c % E) + (c < E ? 0 : 2)] += sign * sum.re;
    sums.s[4 * (c % E) + (c < E ? 1 : 3)] += sign * sum.im;
  }
}

#else

template <int E>
ROOFTUNE_FUNCTION void column(const Arrays& k, const Bands& bands, std::int64_t g, std::int64_t i,
                              Sums<E>& sums) {
  const Pair<double> p =
      pair(element(k.t, 2 * (g * k.nc + i)), element(k.e, 2 * (g * k.nc + i)), Rules{});
  for (std::int64_t n = 0; n < k.nb; ++n) {
    const bool occupied = KNOB_UNOCCUPIED == KNOB_UNOCCUPIED_COMPUTE || k.occ[n] != 0;
    const Complex<double> product =
        conjugate_times(element(bands.m, n * bands.m_n), element(k.a, n * k.a_n + i * k.a_i));
    for (int c = 0; c < E; ++c) {
      const Terms<double> terms = branched(p, bands.x[n * bands.x_n + c], occupied, Rules{});
      const Complex<double> ssx = terms.ssx * product, sch = terms.sch * product;
      sums.s[4 * c] -= k.v[g] * k.occ[n] * ssx.re;
      sums.s[4 * c + 1] -= k.v[g] * k.occ[n] * ssx.im;
      sums.s[4 * c + 2] += 0.5 * k.v[g] * sch.re;
      sums.s[4 * c + 3] += 0.5 * k.v[g] * sch.im;
    }
  }
}

#endif

}  // namespace sigma_gpp

namespace Kokkos {
template <int E>
struct reduction_identity<sigma_gpp::Sums<E> > {
  KOKKOS_FORCEINLINE_FUNCTION static sigma_gpp::Sums<E> sum() { return {}; }
};
}  // namespace Kokkos
