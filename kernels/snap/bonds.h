// Stages U, dU and dE for one vector of bonds.
// The caller adds what a bond gives to U in the arrays of its batch and takes dE/dr from it.
#pragma once
#include "geometry.h"
#include "layout.h"

namespace snap_kernel {

/// Lambdas that must become part of the loops around them.
#define SNAP_INLINE __attribute__((always_inline))

struct Context {
  Atoms atoms;
  Constants constants;
  int twojmax = 0;

  const double* scale() const { return rooted ? nullptr : constants.scale; }
};

template <class T, int N, class Raise, class Visit>
ROOFTUNE_INLINE void walk(int twojmax, const Raise& raise, const Visit& visit) {
  if constexpr (unrolls_rows)
    walk_unrolled<KNOB_FIXED_TWOJMAX, 0>(raise, visit, Strand<T, N>{});
  else if constexpr (by_rows)
    walk_rows<T, N>(twojmax, raise, visit);
  else
    walk_layers<T, N>(twojmax, raise, visit);
}

using SumView = View<neighbour_lanes>;

/// U of the lanes of neighbours, before they are added up.
inline SumView lane_sums(const Batch& batch) {
  const std::int64_t elements = mirrors_bonds ? batch.full.elements : batch.half.elements;
  return {batch.lane_sums, neighbour_lanes, elements * neighbour_lanes};
}

ROOFTUNE_INLINE void store_row(int j, int mb, const Row<BondLanes>& row, const LayoutView& to) {
  const int e = half_offset(j) + mb * (j + 1);
#pragma GCC unroll row_unroll
  for (int ma = 0; ma <= j; ++ma) {
    put<BondLanes>(to.re(e + ma), row.re[ma]);
    put<BondLanes>(to.im(e + ma), row.im[ma]);
  }
}

ROOFTUNE_INLINE void load_row(int j, int mb, const LayoutView& from, Row<BondLanes>& row) {
  const int e = half_offset(j) + mb * (j + 1);
#pragma GCC unroll row_unroll
  for (int ma = 0; ma <= j; ++ma) {
    row.re[ma] = get<BondLanes>(from.re(e + ma));
    row.im[ma] = get<BondLanes>(from.im(e + ma));
  }
}

template <class V>
ROOFTUNE_INLINE void add_to_u(int j, int mb, const BondLanes& fc, const Row<BondLanes>& row,
                              const V& u) {
  if constexpr (mirrors_bonds)
    add_row_and_mirror(j, mb, fc, row, u);
  else
    add_row(j, mb, fc, row, u);
}

/// Stage U of the bonds of `a` (place in the batch) with neighbours from k on.
inline void sum_bond(const Context& x, const Batch& batch, std::int64_t first_atom, std::int64_t a,
                     std::int64_t k, bool adds) {
  const Geometry<BondLanes> g = geometry(x.atoms, first_atom + a, k);
  const Bond<BondLanes> q = bond(g);
  const Raiser<rooted, BondLanes> raise{q, nullptr, {x.constants.root}};
  LayoutView stored{};
  if (stores_u) stored = batch.stored_u.at(a, k);
  const auto visit_into = [&](const auto& u) SNAP_INLINE {
    walk<BondLanes, 1>(order_of(x.twojmax), raise,
                       [&](int j, int mb, const Strand<BondLanes, 1>& s) SNAP_INLINE {
                         if (stores_u) store_row(j, mb, s.row[0], stored);
                         if (adds) add_to_u(j, mb, q.fc, s.row[0], u);
                       });
  };
  if constexpr (neighbour_lanes > 1)
    visit_into(lane_sums(batch));
  else
    visit_into(mirrors_bonds ? batch.full.at(a) : batch.half.at(a));
}

/// Stage U of several vectors of bonds: U is loaded and stored once for all.
inline void sum_bonds(const Context& x, const Batch& batch, std::int64_t first_atom, std::int64_t a,
                      std::int64_t k) {
  ParallelRaiser<rooted, BondLanes, together> raise;
  raise.root = {x.constants.root};
  for (int n = 0; n < together; ++n)
    raise.bond[n] = bond(geometry(x.atoms, first_atom + a, k + n * neighbour_lanes));
  const auto visit_into = [&](const auto& u) SNAP_INLINE {
    walk<BondLanes, together>(order_of(x.twojmax), raise,
                              [&](int j, int mb, const Strand<BondLanes, together>& s) SNAP_INLINE {
                                Row<BondLanes> sum;
#pragma GCC unroll row_unroll
                                for (int ma = 0; ma <= j; ++ma) {
                                  sum.re[ma] = raise.bond[0].fc * s.row[0].re[ma];
                                  sum.im[ma] = raise.bond[0].fc * s.row[0].im[ma];
                                  for (int n = 1; n < together; ++n) {
                                    sum.re[ma] += raise.bond[n].fc * s.row[n].re[ma];
                                    sum.im[ma] += raise.bond[n].fc * s.row[n].im[ma];
                                  }
                                }
                                add_to_u(j, mb, BondLanes{} + 1.0, sum, u);
                              });
  };
  if constexpr (neighbour_lanes > 1)
    visit_into(lane_sums(batch));
  else
    visit_into(mirrors_bonds ? batch.full.at(a) : batch.half.at(a));
}

/// Stage U after sum_bond without adding: adds what was stored.
inline void add_stored(const Context& x, const Batch& batch, std::int64_t first_atom,
                       std::int64_t a, std::int64_t k) {
  const BondLanes fc = geometry(x.atoms, first_atom + a, k).fc;
  const LayoutView stored = batch.stored_u.at(a, k);
  const LayoutView u = mirrors_bonds ? batch.full.at(a) : batch.half.at(a);
  const int twojmax = order_of(x.twojmax);
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb) {
      Row<BondLanes> row;
      load_row(j, mb, stored, row);
      add_to_u(j, mb, fc, row, u);
    }
}

/// W of an atom as every lane of its bonds sees it.
ROOFTUNE_INLINE BondLanes seen(const double* p) {
  if constexpr (neighbour_lanes > 1)
    return BondLanes{} + *p;
  else
    return get<BondLanes>(p);
}

/// What all forms of the derivative need of a bond.
struct Slopes {
  Geometry<BondLanes> geometry;
  Bond<BondLanes> bond;
  BondSlope<BondLanes> slope;
  BondLanes out[3];

  Slopes(const Context& x, std::int64_t atom, std::int64_t k)
      : geometry(snap_kernel::geometry(x.atoms, atom, k)),
        bond(snap_kernel::bond(geometry)),
        slope(bond_slope(geometry)) {}

  /// dE/dr from the contractions of u and of its three derivatives.
  void finish(const BondLanes& u, const BondLanes du[3]) {
    for (int c = 0; c < 3; ++c) out[c] = 2.0 * (slope.fc[c] * u + bond.fc * du[c]);
  }
};

/// visit(j, mb, strand) for u and its N - 1 derivatives, u from memory where stage U left it.
template <int N, class Visit>
ROOFTUNE_INLINE void walk_again(const Context& x, const Batch& batch, const Slopes& s,
                                std::int64_t a, std::int64_t k, const Visit& visit) {
  const Raiser<rooted, BondLanes> raise{s.bond, &s.slope, {x.constants.root}};
  if constexpr (stores_u) {
    const LayoutView stored = batch.stored_u.at(a, k);
    const auto load = [&](int j, int mb, Row<BondLanes>& row)
                          SNAP_INLINE { load_row(j, mb, stored, row); };
    const StoredRaiser<rooted, BondLanes, decltype(load)> again{raise, load};
    walk<BondLanes, N>(order_of(x.twojmax), again, visit);
  } else {
    walk<BondLanes, N>(order_of(x.twojmax), raise, visit);
  }
}

/// Sums of u conj w over half of u, for w = Y and its images under rotations.
struct Contractions {
  BondLanes sum[4] = {};

  ROOFTUNE_INLINE void add(int j, int mb, const Row<BondLanes>& row, const LayoutView& w) {
    const int e = half_offset(j) + mb * (j + 1), count = contracted(j, mb, 1);
#pragma GCC unroll row_unroll
    for (int ma = 0; ma < count; ++ma)
#pragma GCC unroll 4
      for (int n = 0; n < 4; ++n)
        sum[n] +=
            row.re[ma] * seen(w.re(4 * (e + ma) + n)) + row.im[ma] * seen(w.im(4 * (e + ma) + n));
  }
};

ROOFTUNE_INLINE void rotate_slopes(Slopes& s, const Contractions& total) {
  BondLanes du[3];
  for (int c = 0; c < 3; ++c) {
    const Rotation<BondLanes> r = rotation(s.bond, s.slope, c);
    du[c] = r.xi * total.sum[1] + r.eta * total.sum[2] + r.omega * total.sum[3];
  }
  s.finish(total.sum[0], du);
}

/// Stages dU and dE: u, stored or made again, against Y turned by the generators.
inline Slopes slope_by_rotation(const Context& x, const Batch& batch, std::int64_t first_atom,
                                std::int64_t a, std::int64_t k) {
  Slopes s(x, first_atom + a, k);
  const LayoutView w = batch.weights.at(a);
  Contractions total;
  if constexpr (stores_u) {
    const LayoutView stored = batch.stored_u.at(a, k);
    const int twojmax = order_of(x.twojmax);
    for (int e = 0; e < half_offset(twojmax + 1); ++e)
#pragma GCC unroll 4
      for (int n = 0; n < 4; ++n)
        total.sum[n] += get<BondLanes>(stored.re(e)) * seen(w.re(4 * e + n)) +
                        get<BondLanes>(stored.im(e)) * seen(w.im(4 * e + n));
  } else {
    walk_again<1>(x, batch, s, a, k,
                  [&](int j, int mb, const Strand<BondLanes, 1>& strand)
                      SNAP_INLINE { total.add(j, mb, strand.row[0], w); });
  }
  rotate_slopes(s, total);
  return s;
}

/// Stages dU and dE of several vectors of bonds: Y is loaded once for all. emit(n, slopes) takes
/// the n-th.
template <class Emit>
ROOFTUNE_INLINE void slopes_together(const Context& x, const Batch& batch, std::int64_t first_atom,
                                     std::int64_t a, std::int64_t k, const Emit& emit) {
  ParallelRaiser<rooted, BondLanes, together> raise;
  raise.root = {x.constants.root};
  for (int n = 0; n < together; ++n)
    raise.bond[n] = bond(geometry(x.atoms, first_atom + a, k + n * neighbour_lanes));
  const LayoutView w = batch.weights.at(a);
  Contractions total[together];
  walk<BondLanes, together>(
      order_of(x.twojmax), raise,
      [&](int j, int mb, const Strand<BondLanes, together>& s) SNAP_INLINE {
        const int e = half_offset(j) + mb * (j + 1), count = contracted(j, mb, 1);
#pragma GCC unroll row_unroll
        for (int ma = 0; ma < count; ++ma)
#pragma GCC unroll 4
          for (int m = 0; m < 4; ++m) {
            const BondLanes re = seen(w.re(4 * (e + ma) + m)), im = seen(w.im(4 * (e + ma) + m));
#pragma GCC unroll 4
            for (int n = 0; n < together; ++n)
              total[n].sum[m] += s.row[n].re[ma] * re + s.row[n].im[ma] * im;
          }
      });
  for (int n = 0; n < together; ++n) {
    Slopes s(x, first_atom + a, k + n * neighbour_lanes);
    rotate_slopes(s, total[n]);
    emit(n, s);
  }
}

/// Adds the contraction of one row of u and of its derivatives with weighed Y.
ROOFTUNE_INLINE void contract_row(int j, int mb, const Strand<BondLanes, 4>& strand,
                                  const LayoutView& y, BondLanes sum[4]) {
  const int e = half_offset(j) + mb * (j + 1), count = contracted(j, mb, 0);
#pragma GCC unroll row_unroll
  for (int ma = 0; ma < count; ++ma) {
    const BondLanes re = seen(y.re(e + ma)), im = seen(y.im(e + ma));
#pragma GCC unroll 4
    for (int n = 0; n < 4; ++n) sum[n] += strand.row[n].re[ma] * re + strand.row[n].im[ma] * im;
  }
}

/// Stages dU and dE by the recursion of the derivatives, nothing stored between them.
inline Slopes slope_by_recursion(const Context& x, const Batch& batch, std::int64_t first_atom,
                                 std::int64_t a, std::int64_t k) {
  Slopes s(x, first_atom + a, k);
  const LayoutView y = batch.y.at(a);
  BondLanes sum[4] = {};
  walk_again<4>(x, batch, s, a, k,
                [&](int j, int mb, const Strand<BondLanes, 4>& strand)
                    SNAP_INLINE { contract_row(j, mb, strand, y, sum); });
  s.finish(sum[0], sum + 1);
  return s;
}

/// Stage dU: derivatives of fc u of one vector of bonds into memory.
inline void store_slope(const Context& x, const Batch& batch, std::int64_t first_atom,
                        std::int64_t a, std::int64_t k) {
  const Slopes s(x, first_atom + a, k);
  const LayoutView to = batch.stored_du.at(a, k);
  walk_again<4>(x, batch, s, a, k, [&](int j, int mb, const Strand<BondLanes, 4>& v) SNAP_INLINE {
    const int e = half_offset(j) + mb * (j + 1);
    for (int ma = 0; ma <= j; ++ma)
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        put<BondLanes>(to.re(3 * (e + ma) + c),
                       s.slope.fc[c] * v.row[0].re[ma] + s.bond.fc * v.row[c + 1].re[ma]);
        put<BondLanes>(to.im(3 * (e + ma) + c),
                       s.slope.fc[c] * v.row[0].im[ma] + s.bond.fc * v.row[c + 1].im[ma]);
      }
  });
}

/// Stage dE from what store_slope left.
inline void contract_stored(const Context& x, const Batch& batch, std::int64_t a, std::int64_t k,
                            BondLanes out[3]) {
  const LayoutView from = batch.stored_du.at(a, k), y = batch.y.at(a);
  const int twojmax = order_of(x.twojmax);
  BondLanes sum[3] = {};
  for (int j = 0; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb)
      for (int ma = 0; ma < contracted(j, mb, 0); ++ma) {
        const int e = half_offset(j) + mb * (j + 1) + ma;
        const BondLanes re = seen(y.re(e)), im = seen(y.im(e));
#pragma GCC unroll 3
        for (int c = 0; c < 3; ++c)
          sum[c] +=
              get<BondLanes>(from.re(3 * e + c)) * re + get<BondLanes>(from.im(3 * e + c)) * im;
      }
  for (int c = 0; c < 3; ++c) out[c] = 2.0 * sum[c];
}

}  // namespace snap_kernel
