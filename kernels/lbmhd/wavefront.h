// Two steps in place in one pass over memory: the second follows one plane and one row behind the
// first, so that it finds the rows still in a cache. The caller's lattice holds populations where
// they belong, as before the first of two exchanging steps.
#pragma once
#include "sweep.h"

namespace mhd::wavefront {

/// Planes [low, high) of one thread.
struct Slab {
  Int64 low, high;
};

inline Slab slab(const Lattice& at, Int64 number, Int64 count) {
  return {at.nz * number / count, at.nz * (number + 1) / count};
}

/// Local step of the rows of a plane that tiles leave: their neighbours are at either end of y.
inline void finish_plane(const Lattice& at, Int64 z, const MomentArrays& moments, const Rates& r) {
  step_row<Local>(at, at, {z, 0}, no_row, moments, r);
  if (at.ny > 1) step_row<Local>(at, at, {z, at.ny - 1}, no_row, moments, r);
}

/// The first step of all rows of a slab; the second of those that need no plane of another slab.
inline void first_pass(const Lattice& at, const Slab& s, const MomentArrays& between,
                       const MomentArrays& moments, const Rates& r) {
  for (Int64 y0 = 0; y0 < at.ny; y0 += KNOB_TILE_Y) {
    const Block tile = {s.low, s.high, y0, least_of(y0 + KNOB_TILE_Y, at.ny)};
    for (Row row = s.low < s.high ? Row{s.low, y0} : no_row; row.z >= 0;) {
      const Row next = tile.after(row);
      step_row<Exchange>(at, at, row, next, between, r);
      if (row.z - 1 > s.low && row.y - 1 > 0)
        step_row<Local, Exchange>(at, at, {row.z - 1, row.y - 1}, next, moments, r);
      row = next;
    }
  }
  for (Int64 z = s.low + 1; z < s.high - 1; ++z) finish_plane(at, z, moments, r);
}

/// `between` takes the moments of the first step, `moments` those of the second.
inline void two_steps(const Lattice& at, const MomentArrays& between, const MomentArrays& moments,
                      const Rates& r) {
#pragma omp parallel
  {
    const Int64 count = omp_get_num_threads();
#pragma omp for schedule(static)
    for (Int64 t = 0; t < count; ++t) first_pass(at, slab(at, t, count), between, moments, r);
    // Planes at either end of a slab.
    for (Int64 t = 0; t < count; ++t) {
      const Slab s = slab(at, t, count);
      for (Int64 z = s.low; z<s.high; z += s.high - 1> z ? s.high - 1 - z : 1) {
#pragma omp for schedule(static) nowait
        for (Int64 y = 0; y < at.ny; ++y) step_row<Local>(at, at, {z, y}, no_row, moments, r);
      }
    }
  }
}

}  // namespace mhd::wavefront
