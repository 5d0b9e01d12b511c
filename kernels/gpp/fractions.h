// Tiles of the kernel by partial fractions (body.h): e t comes out of the sum over bands, several
// reciprocals share a division. The caller adds up `sums`, four numbers per energy.
#pragma once
#include "lanes.h"
#include "view.h"

namespace sigma_gpp::fractions_of {

constexpr int bands_together = KNOB_BAND_BLOCK;

/// e t, from which both sums are made.
ROOFTUNE_INLINE Complex<V> weight_at(const View& v, std::int64_t g, std::int64_t i,
                                     const Complex<V>& t) {
  const Complex<V> e = at(v.e, g, i);
  return stored ? e : e * t;
}

/// far_part and exchange_part of C cells of one pole: energies of several bands.
template <int C, bool Occupied>
struct Cells {
  Reduced<V> far[C], exchange[C];

  ROOFTUNE_INLINE Cells(const Pole<V>& t, const double* x) {
    constexpr int count = Occupied ? 2 * C : C;
    Distance<V> d[count];
    V inverses[count];
#pragma GCC unroll 16
    for (int c = 0; c < C; ++c) {
      d[c] = below(t, x[c]);
      inverses[c] = d[c].square;
    }
    if constexpr (Occupied)
#pragma GCC unroll 16
      for (int c = 0; c < C; ++c) {
        d[C + c] = above(t, x[c]);
        inverses[C + c] = d[C + c].square;
      }
    invert<count>(inverses);
#pragma GCC unroll 16
    for (int c = 0; c < C; ++c) far[c] = far_part(t, d[c], inverses[c]);
    if constexpr (Occupied)
#pragma GCC unroll 16
      for (int c = 0; c < C; ++c)
        exchange[c] = exchange_part(t, d[c], d[C + c], far[c], inverses[C + c],
                                    exchange_cutoff(x[c]));
  }
};

template <int E>
ROOFTUNE_INLINE void energies(const View& v, std::int64_t n, std::int64_t bands, std::int64_t w,
                              double* x) {
  for (std::int64_t r = 0; r < bands; ++r)
    for (int k = 0; k < E; ++k) x[r * E + k] = v.wx(n + r, w + k);
}

// ---- G innermost ---------------------------------------------------------------------------

/// R bands from n on, one G', a range of G, E energies from w on.
template <int R, int E, bool Occupied>
inline void row(const View& v, std::int64_t n, std::int64_t g, Range range, std::int64_t w,
                double* sums) {
  constexpr int cells = R * E;
  double x[cells];
  energies<E>(v, n, R, w, x);
  Complex<V> ach[unroll][cells] = {}, asx[unroll][cells] = {};
  for (std::int64_t i = range.from; i < range.to; i += stride)
#pragma GCC unroll 4
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t here = i + u * width;
      const Complex<V> t_here = at(v.t, g, here), weight = weight_at(v, g, here, t_here);
      const Pole<V> t = pole(t_here);
      const Cells<cells, Occupied> c(t, x);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Complex<V> product = weight * at(v.a, n + r, here);
#pragma GCC unroll 4
        for (int k = r * E; k < (r + 1) * E; ++k) {
          ach[u][k] = ach[u][k] + product * Complex<V>{c.far[k].re, t.im * c.far[k].im};
          if constexpr (Occupied)
            asx[u][k] = asx[u][k] + product * Complex<V>{c.exchange[k].re, t.im * c.exchange[k].im};
        }
      }
    }
  for (int u = 0; u < unroll; ++u)
    for (int k = 0; k < cells; ++k) {
      const std::int64_t band = n + k / E;
      const Complex<double> m = v.aqsm(band, g);
      const Complex<double> h = {sum_of_lanes(ach[u][k].re), sum_of_lanes(ach[u][k].im)};
      const Complex<double> s = {sum_of_lanes(asx[u][k].re), sum_of_lanes(asx[u][k].im)};
      const double half = 0.5 * v.v[g];
      add(sums + 4 * (w + k % E), scaled(-half * v.occ[band], conjugate_times(m, s)),
          scaled(half, conjugate_times(m, h)));
    }
}

/// All bands of a run.
template <int E>
inline void rows(const View& v, Range bands, std::int64_t g, Range range, std::int64_t w,
                 double* sums) {
  for_runs(v, bands, [&](Range run, bool occupied) {
    std::int64_t n = run.from;
    for (; n + bands_together <= run.to; n += bands_together)
      occupied ? row<bands_together, E, true>(v, n, g, range, w, sums)
               : row<bands_together, E, false>(v, n, g, range, w, sums);
    for (; n < run.to; ++n)
      occupied ? row<1, E, true>(v, n, g, range, w, sums)
               : row<1, E, false>(v, n, g, range, w, sums);
  });
}

// ---- bands innermost -----------------------------------------------------------------------

/// sum M re(p) and sum M im(p) of one energy; p lacks i Im(t) in its imaginary part.
struct Moments {
  Complex<V> along, across;

  ROOFTUNE_INLINE void add(const Complex<V>& product, const Reduced<V>& p) {
    along = along + scaled(p.re, product);
    across = across + scaled(p.im, product);
  }
  /// sum M p
  ROOFTUNE_INLINE Complex<V> whole(const V& t_im) const {
    return {along.re - t_im * across.im, along.im + t_im * across.re};
  }
};

template <int E>
struct ColumnSums {
  Moments far[unroll][E], exchange[unroll][E];
};

/// R bands from n on.
template <int R, int E, bool Occupied>
ROOFTUNE_INLINE void add_bands(const View& v, const Pole<V>* t, std::int64_t n, std::int64_t g,
                               std::int64_t i, std::int64_t w, ColumnSums<E>& s) {
  double x[R * E];
  energies<E>(v, n, R, w, x);
#pragma GCC unroll 4
  for (int u = 0; u < unroll; ++u) {
    const Cells<R * E, Occupied> c(t[u], x);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Complex<V> product =
          conjugate_times(v.aqsm(n + r, g), at(v.a, n + r, i + u * width));
      const Complex<V> filled = Occupied ? scaled(v.occ[n + r], product) : product;
#pragma GCC unroll 4
      for (int k = 0; k < E; ++k) {
        s.far[u][k].add(product, c.far[r * E + k]);
        if constexpr (Occupied) s.exchange[u][k].add(filled, c.exchange[r * E + k]);
      }
    }
  }
}

/// One G', `stride` vectors G, a run of bands that are all occupied or all not.
template <int E, bool Occupied>
inline void column(const View& v, std::int64_t g, std::int64_t i, Range bands, std::int64_t w,
                   double* sums) {
  ColumnSums<E> s = {};
  Pole<V> t[unroll];
  for (int u = 0; u < unroll; ++u) t[u] = pole(at(v.t, g, i + u * width));
  std::int64_t n = bands.from;
  for (; n + bands_together <= bands.to; n += bands_together)
    add_bands<bands_together, E, Occupied>(v, t, n, g, i, w, s);
  if constexpr (bands_together > 1)
    for (; n < bands.to; ++n) add_bands<1, E, Occupied>(v, t, n, g, i, w, s);
  const double half = 0.5 * v.v[g];
  for (int u = 0; u < unroll; ++u) {
    const Complex<V> weight = weight_at(v, g, i + u * width, {t[u].re, t[u].im});
    for (int k = 0; k < E; ++k) {
      const Complex<V> ach = weight * s.far[u][k].whole(t[u].im);
      const Complex<V> asx = weight * s.exchange[u][k].whole(t[u].im);
      add(sums + 4 * (w + k), {-half * sum_of_lanes(asx.re), -half * sum_of_lanes(asx.im)},
          {half * sum_of_lanes(ach.re), half * sum_of_lanes(ach.im)});
    }
  }
}

}  // namespace sigma_gpp::fractions_of
