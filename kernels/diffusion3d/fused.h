// Several time steps of 7-point diffusion in one pass over memory: tiles of whole rows march along
// z with the intermediate times in a ring of three planes each, overlapping their neighbours in y
// and z. The caller provides two fields of the box with equal boundary layers, and rings. Reads
// KNOB_ macros.
#pragma once
#include <omp.h>

#include "field.h"
#include "row.h"

namespace fused {

constexpr std::int64_t depth = KNOB_TIME_BLOCK;
constexpr std::int64_t ring_rows = KNOB_TILE_Y + 2 * (depth - 1);

inline std::int64_t ring_row(const Box& box) { return (box.nx + 7) / 8 * 8 + 8; }
/// Elements of one thread's rings.
inline std::int64_t ring_size(const Box& box) {
  return (depth - 1) * 3 * ring_rows * ring_row(box) + 8;
}

struct Range {
  std::int64_t from, to;
  /// Wider by `more` on both sides, but within the inner points.
  Range grown(std::int64_t more, std::int64_t extent) const {
    return {from - more > 1 ? from - more : 1, to + more < extent - 1 ? to + more : extent - 1};
  }
  bool holds(std::int64_t i) const { return from <= i && i < to; }
};

struct Tile {
  const Box& box;
  const Stencil& stencil;
  const double* now;
  double* next;
  double* ring;
  std::int64_t steps;
  Range y, z;

  double* ring_at(std::int64_t time, std::int64_t zz, std::int64_t yy) const {
    const std::int64_t plane = (time - 1) * 3 + zz % 3;
    // Seven elements in, so that the first inner point starts a cache line.
    return ring + 7 + (plane * ring_rows + (yy - (y.from - (depth - 1)))) * ring_row(box);
  }

  /// Row of a time; the boundary is the same at all times.
  const double* row(std::int64_t time, std::int64_t zz, std::int64_t yy) const {
    const bool boundary = zz == 0 || zz == box.nz - 1 || yy == 0 || yy == box.ny - 1;
    return time == 0 || boundary ? now + box.at(zz, yy) : ring_at(time, zz, yy);
  }

  template <bool Stream, bool Ahead>
  void plane(std::int64_t time, std::int64_t zz) const {
    const Range rows = y.grown(steps - time, box.ny);
    for (std::int64_t yy = rows.from; yy < rows.to; ++yy) {
      const double* const here = row(time - 1, zz, yy);
      double* const out = time == steps ? next + box.at(zz, yy) : ring_at(time, zz, yy);
      update_row<Stream, Ahead>(
          stencil,
          {here + 1, row(time - 1, zz, yy - 1) + 1, row(time - 1, zz, yy + 1) + 1,
           row(time - 1, zz - 1, yy) + 1, row(time - 1, zz + 1, yy) + 1},
          out + 1, box.nx - 2);
      if (time < steps) {
        out[0] = here[0];
        out[box.nx - 1] = here[box.nx - 1];
      }
    }
  }

  /// Time t works one plane behind time t-1, which has then made the three planes that it reads.
  void march() const {
    const Range all = z.grown(steps - 1, box.nz);
    for (std::int64_t front = all.from; front < z.to + steps - 1; ++front)
      for (std::int64_t time = 1; time <= steps; ++time) {
        const std::int64_t zz = front - (time - 1);
        if (!z.grown(steps - time, box.nz).holds(zz)) continue;
        if (time == 1)
          steps == 1 ? plane<KNOB_NT_STORE, true>(time, zz) : plane<false, true>(time, zz);
        else
          time == steps ? plane<KNOB_NT_STORE, false>(time, zz) : plane<false, false>(time, zz);
      }
    if (KNOB_NT_STORE) rooftune::stream_fence();
  }
};

/// `steps` <= depth time steps from `now` to `next`; `rings` holds ring_size() per thread.
inline void pass(const Box& box, const Stencil& s, std::int64_t steps, const double* now,
                 double* next, double* rings) {
  const std::int64_t size_z = KNOB_TILE_Z > 0 ? KNOB_TILE_Z : box.nz - 2;
  const std::int64_t tiles_y = (box.ny - 2 + KNOB_TILE_Y - 1) / KNOB_TILE_Y;
  const std::int64_t tiles_z = (box.nz - 2 + size_z - 1) / size_z;
#pragma omp parallel for collapse(2) schedule(runtime)
  for (std::int64_t k = 0; k < tiles_z; ++k)
    for (std::int64_t j = 0; j < tiles_y; ++j) {
      const Range y = Range{1 + j * KNOB_TILE_Y, 1 + (j + 1) * KNOB_TILE_Y}.grown(0, box.ny);
      const Range z = Range{1 + k * size_z, 1 + (k + 1) * size_z}.grown(0, box.nz);
      Tile{box, s, now, next, rings + omp_get_thread_num() * ring_size(box), steps, y, z}.march();
    }
}

}  // namespace fused
