// One step over all rows: shared among threads in blocks of rows.
// The caller hands over lattices as the scheme expects them.
#pragma once
#include "row.h"

namespace mhd {

/// The caller's arrays of moments, [7][nz][ny][nx] in three pieces; null when not wanted.
struct MomentArrays {
  double *density, *momentum, *magnetic;

  MomentRows rows(const Lattice& at, Int64 z, Int64 y) const {
    if (density == nullptr) return {};
    const Int64 s = (z * at.ny + y) * at.nx, n = at.sites();
    return {{density + s, momentum + s, momentum + n + s, momentum + 2 * n + s, magnetic + s,
             magnetic + n + s, magnetic + 2 * n + s}};
  }
};

/// A row of sites; z < 0: none.
struct Row {
  Int64 z, y;
};
constexpr Row no_row = {-1, 0};

/// `next`, which scheme N takes, is announced to the caches where KNOB_PREFETCH_ROW says so.
template <class S, class N = S>
inline void step_row(const Lattice& from, const Lattice& to, const Row& row, const Row& next,
                     const MomentArrays& moments, const Rates& r) {
  const Streams<S> streams = find_streams<S>(from, to, row.z, row.y);
  const MomentRows rows = moments.rows(from, row.z, row.y);
  if (!KNOB_PREFETCH_ROW || next.z < 0) return update_row<S, N>(streams, nullptr, from.nx, rows, r);
  const Streams<N> later = find_streams<N>(from, to, next.z, next.y);
  update_row<S, N>(streams, &later, from.nx, rows, r);
}

inline Int64 least_of(Int64 a, Int64 b) { return a < b ? a : b; }

/// Rows [y0, y1) of planes [z0, z1).
struct Block {
  Int64 z0, z1, y0, y1;

  /// After `row`, with y as the inner loop.
  Row after(const Row& row) const {
    if (row.y + 1 < y1) return {row.z, row.y + 1};
    return row.z + 1 < z1 ? Row{row.z + 1, y0} : no_row;
  }
  /// After `row`, with z as the inner loop.
  Row beyond(const Row& row) const {
    if (row.z + 1 < z1) return {row.z + 1, row.y};
    return row.y + 1 < y1 ? Row{z0, row.y + 1} : no_row;
  }
};

/// In the order of KNOB_ORDER.
template <class S>
inline void step_block(const Lattice& from, const Lattice& to, const Block& b,
                       const MomentArrays& moments, const Rates& r) {
  constexpr bool y_inside = KNOB_ORDER == KNOB_ORDER_ZY;
  if (b.z0 >= b.z1 || b.y0 >= b.y1) return;
  for (Row row = {b.z0, b.y0}; row.z >= 0;) {
    const Row next = y_inside ? b.after(row) : b.beyond(row);
    step_row<S>(from, to, row, next, moments, r);
    row = next;
  }
}

/// 0: all, cut among the threads.
inline Int64 planes_per_block(const Lattice& at, int threads) {
  return KNOB_BLOCK_Z > 0 ? KNOB_BLOCK_Z : (at.nz + threads - 1) / threads;
}

template <class S>
inline void step(const Lattice& from, const Lattice& to, const MomentArrays& moments,
                 const Rates& r) {
  const Int64 dz = planes_per_block(from, omp_get_max_threads());
  const Int64 dy = KNOB_BLOCK_Y > 0 ? KNOB_BLOCK_Y : from.ny;
#pragma omp parallel
  {
#pragma omp for collapse(2) schedule(runtime)
    for (Int64 z = 0; z < from.nz; z += dz)
      for (Int64 y = 0; y < from.ny; y += dy)
        step_block<S>(from, to, {z, least_of(z + dz, from.nz), y, least_of(y + dy, from.ny)},
                      moments, r);
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
}

}  // namespace mhd
