// The recursion of u_j and of its derivatives for one bond on a GPU: by one thread with its rows in
// registers or local memory, or by 16 lanes with an element of the row each.
// The caller's visit(j, mb, ma, re, im) sees N numbers per element: u, then its derivatives.
#pragma once
#include "cuda_knobs.h"
#include "walk.h"

namespace snap_kernel {

/// An element of a row of u and, for N = 4, of its derivatives, as one lane has them.
template <int N>
struct Elements {
  double re[N], im[N];
};

/// What the lane `distance` below has; nothing below the first lane.
template <int N>
__device__ __forceinline__ Elements<N> from_below(const Elements<N>& here, int ma) {
  Elements<N> below;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const double re = rooftune::shuffle_up(here.re[n], 1u, row_lanes);
    const double im = rooftune::shuffle_up(here.im[n], 1u, row_lanes);
    below.re[n] = ma > 0 ? re : 0;
    below.im[n] = ma > 0 ? im : 0;
  }
  return below;
}

/// raise_row and raise_slope for one element; `e` becomes that of the next layer. Lanes beyond the
/// row hold zeros.
template <int N>
__device__ __forceinline__ void raise_element(const Bond<double>& q, const BondSlope<double>* d,
                                              int j, int mb, int ma, const Roots& root,
                                              Elements<N>& e) {
  const Elements<N> in = e, back = from_below(e, ma);
  const bool exists = ma <= j;
  const double stay = !exists ? 0 : rooted ? root(j - ma, j - mb) : 1.0;
  const double step = !exists ? 0 : rooted ? root(ma, j - mb) : 1.0;
  e.re[0] =
      stay * (q.ar * in.re[0] + q.ai * in.im[0]) - step * (q.br * back.re[0] + q.bi * back.im[0]);
  e.im[0] =
      stay * (q.ar * in.im[0] - q.ai * in.re[0]) - step * (q.br * back.im[0] - q.bi * back.re[0]);
  if constexpr (N > 1) {
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      const int n = c + 1;
      e.re[n] =
          stay * (q.ar * in.re[n] + q.ai * in.im[n] + d->ar[c] * in.re[0] + d->ai[c] * in.im[0]) -
          step * (q.br * back.re[n] + q.bi * back.im[n] + d->br[c] * back.re[0] +
                  d->bi[c] * back.im[0]);
      e.im[n] =
          stay * (q.ar * in.im[n] - q.ai * in.re[n] + d->ar[c] * in.im[0] - d->ai[c] * in.re[0]) -
          step * (q.br * back.im[n] - q.bi * back.re[n] + d->br[c] * back.im[0] -
                  d->bi[c] * back.re[0]);
    }
  }
}

/// mirror_row for one element.
template <int N>
__device__ __forceinline__ void mirror_element(int j, int mb, int ma, Elements<N>& e) {
  const int from = (j - ma) & (row_lanes - 1);
  const bool exists = ma <= j, odd = ((from + mb) & 1) != 0;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const double re = rooftune::shuffle(e.re[n], from, row_lanes);
    const double im = rooftune::shuffle(e.im[n], from, row_lanes);
    e.re[n] = exists ? (odd ? -re : re) : 0;
    e.im[n] = exists ? (odd ? im : -im) : 0;
  }
}

/// walk_rows by lanes: lane ma has element ma. Every lane of the warp calls this.
template <int N, class Visit>
__device__ __forceinline__ void walk_lanes(int twojmax, const Bond<double>& q,
                                           const BondSlope<double>* d, const Roots& root, int ma,
                                           const Visit& visit) {
  Elements<N> now = {}, kept = {};
  if (ma == 0) {
    now.re[0] = 1;
    visit(0, 0, 0, now.re, now.im);
  }
  for (int mb = 0; 2 * mb <= twojmax; ++mb) {
    // Row mb of layer 2 mb - 1 is the mirror of row mb - 1, which was kept.
    if (mb > 0) {
      now = kept;
      mirror_element(2 * mb - 1, mb - 1, ma, now);
    }
    for (int j = mb == 0 ? 1 : 2 * mb; j <= twojmax; ++j) {
      raise_element(q, d, j, mb, ma, root, now);
      if (ma <= j) visit(j, mb, ma, now.re, now.im);
      if (j == 2 * mb + 1) kept = now;
    }
  }
}

/// Shows a thread's row element by element.
template <int N, class Visit>
struct RowVisitor {
  const Visit& visit;

  template <class Number>
  ROOFTUNE_FUNCTION void operator()(Number j, int mb, const Strand<double, N>& strand) const {
#pragma unroll
    for (int ma = 0; ma <= j; ++ma) {
      double re[N], im[N];
#pragma unroll
      for (int n = 0; n < N; ++n) {
        re[n] = strand.row[n].re[ma];
        im[n] = strand.row[n].im[ma];
      }
      visit(static_cast<int>(j), mb, ma, re, im);
    }
  }
};

/// A thread's rows, element by element.
template <int N, class Raise, class Visit>
__device__ __forceinline__ void walk_alone(int twojmax, const Raise& raise, const Visit& visit) {
  const RowVisitor<N, Visit> visit_row{visit};
  if constexpr (by_rows && KNOB_FIXED_TWOJMAX > 0)
    walk_unrolled<KNOB_FIXED_TWOJMAX, 0>(raise, visit_row, Strand<double, N>{});
  else if constexpr (by_rows)
    walk_rows<double, N>(twojmax, raise, visit_row);
  else
    walk_layers<double, N>(twojmax, raise, visit_row);
}

/// u (N = 1) or u and its derivatives (N = 4) of one bond.
template <int N, class Visit>
__device__ __forceinline__ void walk_bond(int twojmax, const Bond<double>& q,
                                          const BondSlope<double>* d, const Roots& root, int lane,
                                          const Visit& visit) {
  if constexpr (row_lanes > 1) {
    walk_lanes<N>(twojmax, q, d, root, lane, visit);
  } else {
    (void)lane;
    walk_alone<N>(twojmax, Raiser<rooted, double>{q, d, root}, visit);
  }
}

/// Sum over the lanes of a bond, for the first of them.
__device__ __forceinline__ double lanes_sum(double value) {
#pragma unroll
  for (int distance = row_lanes / 2; distance > 0; distance /= 2)
    value += rooftune::shuffle_down(value, static_cast<unsigned>(distance), row_lanes);
  return value;
}

}  // namespace snap_kernel
