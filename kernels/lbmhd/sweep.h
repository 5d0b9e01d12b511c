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

template <class S>
inline void step_row(const Lattice& from, const Lattice& to, Int64 z, Int64 y,
                     const MomentArrays& moments, const Rates& r) {
  Streams streams;
  find_streams<S>(from, to, z, y, streams);
  update_row<S>(streams, from.nx, moments.rows(from, z, y), r);
}

inline Int64 least_of(Int64 a, Int64 b) { return a < b ? a : b; }

/// Rows [y0, y1) of planes [z0, z1), in the order of KNOB_ORDER.
template <class S>
inline void step_block(const Lattice& from, const Lattice& to, Int64 z0, Int64 z1, Int64 y0,
                       Int64 y1, const MomentArrays& moments, const Rates& r) {
  if constexpr (KNOB_ORDER == KNOB_ORDER_ZY) {
    for (Int64 z = z0; z < z1; ++z)
      for (Int64 y = y0; y < y1; ++y) step_row<S>(from, to, z, y, moments, r);
  } else {
    for (Int64 y = y0; y < y1; ++y)
      for (Int64 z = z0; z < z1; ++z) step_row<S>(from, to, z, y, moments, r);
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
        step_block<S>(from, to, z, least_of(z + dz, from.nz), y, least_of(y + dy, from.ny), moments,
                      r);
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
}

}  // namespace mhd
