// Tiles of the kernel by partial fractions (body.h): e t comes out of the sum over bands, several
// reciprocals share a division. The caller adds up `sums`, four numbers per energy.
#pragma once
#include "lanes.h"
#include "view.h"

namespace sigma_gpp::fractions_of {

constexpr int bands_together = KNOB_BAND_BLOCK;
/// Occupied bands have twice the cells.
constexpr int filled_together = (KNOB_BAND_BLOCK + 1) / 2;

/// e t, from which both sums are made.
ROOFTUNE_INLINE Complex<V> weight_at(const View& v, std::int64_t g, std::int64_t i,
                                     const Complex<V>& t) {
  const Complex<V> e = at(v.e, g, i);
  return stored ? e : e * t;
}

/// What a run of bands needs: nothing but ach, both sums, or both for poles that may vanish.
enum class Kind { empty, filled, vanishing };

/// far_part and exchange_part of C cells of one pole: energies of several bands.
template <int C, Kind kind>
struct Cells {
  Reduced<V> far[C], exchange[C];

  ROOFTUNE_INLINE Cells(const Pole<V>& t, const double* x, const double* cutoff) {
    constexpr int count = kind == Kind::empty ? C : 2 * C;
    Distance<V> d[count];
    V inverses[count];
#pragma GCC unroll 16
    for (int c = 0; c < C; ++c) {
      d[c] = below(t, x[c]);
      inverses[c] = d[c].square;
    }
    if constexpr (kind != Kind::empty)
#pragma GCC unroll 16
      for (int c = 0; c < C; ++c) {
        d[C + c] = above(t, x[c]);
        inverses[C + c] = d[C + c].square;
      }
    invert<count, KNOB_BATCH, Numbers>(inverses);
#pragma GCC unroll 16
    for (int c = 0; c < C; ++c) far[c] = far_part(t, d[c], inverses[c]);
    if constexpr (kind != Kind::empty)
#pragma GCC unroll 16
      for (int c = 0; c < C; ++c) {
        const Reduced<V> all = exchange_part(d[C + c], far[c], inverses[C + c]);
        const auto cut = size(t, all) > cutoff[c];
        exchange[c] = {select(cut, V{}, all.re), select(cut, V{}, all.im)};
        if constexpr (kind == Kind::vanishing) {
          const auto near = reach(t, d[c]) > 0;
          exchange[c] = {select(near, exchange[c].re, V{}), select(near, exchange[c].im, V{})};
        }
      }
  }
};

/// wx and the cutoffs of C = R E cells.
template <int R, int E>
struct Energies {
  double x[R * E], cutoff[R * E];

  ROOFTUNE_INLINE Energies(const View& v, std::int64_t n, std::int64_t w) {
#pragma GCC unroll 16
    for (int c = 0; c < R * E; ++c) {
      x[c] = v.wx(n + c / E, w + c % E);
      cutoff[c] = v.cutoff_of(n + c / E, w + c % E);
    }
  }
};

// ---- G innermost ---------------------------------------------------------------------------

/// R bands from n on, one G', a range of G, E energies from w on.
template <int R, int E, Kind kind>
inline void row(const View& v, std::int64_t n, std::int64_t g, Range range, std::int64_t w,
                V* sums) {
  constexpr int cells = R * E;
  const Energies<R, E> x(v, n, w);
  Complex<V> ach[unroll][cells] = {}, asx[unroll][cells] = {};
  for (std::int64_t i = range.from; i < range.to; i += stride)
#pragma GCC unroll 4
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t here = i + u * width;
      const Complex<V> t_here = at(v.t, g, here), weight = weight_at(v, g, here, t_here);
      const Pole<V> t = pole(t_here);
      const Cells<cells, kind> c(t, x.x, x.cutoff);
#pragma GCC unroll 8
      for (int r = 0; r < R; ++r) {
        const Complex<V> product = weight * at(v.a, n + r, here);
#pragma GCC unroll 4
        for (int k = r * E; k < (r + 1) * E; ++k) {
          ach[u][k] = ach[u][k] + product * Complex<V>{c.far[k].re, t.im * c.far[k].im};
          if constexpr (kind != Kind::empty)
            asx[u][k] = asx[u][k] + product * Complex<V>{c.exchange[k].re, t.im * c.exchange[k].im};
        }
      }
    }
  const double half = 0.5 * v.v[g];
  for (int u = 0; u < unroll; ++u)
    for (int k = 0; k < cells; ++k) {
      const Complex<double> m = v.aqsm(n + k / E, g);
      add(sums + 4 * (w + k % E), scaled(-half * v.occ[n + k / E], conjugate_times(m, asx[u][k])),
          scaled(half, conjugate_times(m, ach[u][k])));
    }
}

/// All bands of a run; `together` of them at once.
template <int together, int E, Kind kind>
ROOFTUNE_INLINE void run_of_rows(const View& v, Range run, std::int64_t g, Range range,
                                 std::int64_t w, V* sums) {
  std::int64_t n = run.from;
  for (; n + together <= run.to; n += together) row<together, E, kind>(v, n, g, range, w, sums);
  if constexpr (together > 1)
    for (; n < run.to; ++n) row<1, E, kind>(v, n, g, range, w, sums);
}

template <int E>
inline void rows(const View& v, Range bands, std::int64_t g, Range range, std::int64_t w, V* sums) {
  for_runs(v, bands, [&](Range run, bool occupied) {
    if (!occupied)
      run_of_rows<bands_together, E, Kind::empty>(v, run, g, range, w, sums);
    else if (!v.vanishing)
      run_of_rows<filled_together, E, Kind::filled>(v, run, g, range, w, sums);
    else
      for (int k = 0; k < E; ++k) run_of_rows<1, 1, Kind::vanishing>(v, run, g, range, w + k, sums);
  });
}

// ---- bands innermost -----------------------------------------------------------------------

/// The poles of one G' and `stride` vectors G.
struct Poles {
  Pole<V> t[unroll];

  ROOFTUNE_INLINE Poles(const View& v, std::int64_t g, std::int64_t i) {
    for (int u = 0; u < unroll; ++u) t[u] = pole(at(v.t, g, i + u * width));
  }
};

template <int E>
struct ColumnSums {
  Moments<V> far[unroll][E], exchange[unroll][E];
};

/// R bands from n on.
template <int R, int E, Kind kind>
ROOFTUNE_INLINE void add_bands(const View& v, const Pole<V>* t, std::int64_t n, std::int64_t g,
                               std::int64_t i, std::int64_t w, ColumnSums<E>& s) {
  const Energies<R, E> x(v, n, w);
#pragma GCC unroll 4
  for (int u = 0; u < unroll; ++u) {
    const Cells<R * E, kind> c(t[u], x.x, x.cutoff);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Complex<V> product = conjugate_times(v.aqsm(n + r, g), at(v.a, n + r, i + u * width));
#pragma GCC unroll 4
      for (int k = 0; k < E; ++k) s.far[u][k].add(product, c.far[r * E + k]);
      if constexpr (kind != Kind::empty) {
        const Complex<V> filled = scaled(v.occ[n + r], product);
#pragma GCC unroll 4
        for (int k = 0; k < E; ++k) s.exchange[u][k].add(filled, c.exchange[r * E + k]);
      }
    }
  }
}

/// One G', `stride` vectors G, a run of bands of one kind.
template <int together, int E, Kind kind>
inline void column(const View& v, const Poles& poles, std::int64_t g, std::int64_t i, Range bands,
                   std::int64_t w, V* sums) {
  ColumnSums<E> s = {};
  const Pole<V>* const t = poles.t;
  std::int64_t n = bands.from;
  for (; n + together <= bands.to; n += together) add_bands<together, E, kind>(v, t, n, g, i, w, s);
  if constexpr (together > 1)
    for (; n < bands.to; ++n) add_bands<1, E, kind>(v, t, n, g, i, w, s);
  const double half = 0.5 * v.v[g];
  for (int u = 0; u < unroll; ++u) {
    const Complex<V> weight =
        scaled(half, weight_at(v, g, i + u * width, Complex<V>{t[u].re, t[u].im}));
    for (int k = 0; k < E; ++k)
      add(sums + 4 * (w + k), scaled(-1.0, weight * s.exchange[u][k].whole(t[u].im)),
          weight * s.far[u][k].whole(t[u].im));
  }
}

template <int E>
ROOFTUNE_INLINE void columns(const View& v, const Poles& poles, std::int64_t g, std::int64_t i,
                             Range run, bool occupied, std::int64_t w, V* sums) {
  if (!occupied)
    column<bands_together, E, Kind::empty>(v, poles, g, i, run, w, sums);
  else if (!v.vanishing)
    column<filled_together, E, Kind::filled>(v, poles, g, i, run, w, sums);
  else
    for (int k = 0; k < E; ++k) column<1, 1, Kind::vanishing>(v, poles, g, i, run, w + k, sums);
}

}  // namespace sigma_gpp::fractions_of
