// Several time steps of 7-point diffusion in one pass over memory and in place: each thread owns a
// slab of planes and steps it in tiles of whole rows, from south to north. What a tile overwrites
// and its neighbour still needs is saved beside it, so no second field exists. The caller provides
// the box and memory_size() elements. Reads KNOB_ macros.
#pragma once
#include <omp.h>

#include "field.h"
#include "fused.h"
#include "row.h"

namespace folded {

using fused::depth;
using fused::Range;
using fused::ring_row;
using fused::ring_rows;

inline std::int64_t slab_planes(const Box& box, std::int64_t threads) {
  return (box.nz - 2 + threads - 1) / threads;
}

/// Old values of one thread: planes beyond either end of its slab, and for every plane of the slab
/// the rows just south of the present tile and of the next one.
struct Saved {
  double *below, *above, *south, *next_south;

  static std::int64_t beyond(const Box& box) { return depth * box.ny * ring_row(box); }
  static std::int64_t strip(const Box& box, std::int64_t planes) {
    return planes * depth * ring_row(box);
  }
};

/// Elements of one thread's ring, saved planes and saved rows.
inline std::int64_t thread_memory(const Box& box, std::int64_t threads) {
  return fused::ring_size(box) + 2 * Saved::beyond(box) +
         2 * Saved::strip(box, slab_planes(box, threads));
}
inline std::int64_t memory_size(const Box& box, std::int64_t threads) {
  return threads * thread_memory(box, threads);
}

inline void copy_row(const double* from, double* to, std::int64_t count) {
  for (std::int64_t x = 0; x < count; ++x) to[x] = from[x];
}

struct Tile {
  const Box& box;
  const Stencil& stencil;
  double* u;
  double* ring;
  Saved saved;
  std::int64_t steps;
  Range slab, y;

  double* ring_at(std::int64_t time, std::int64_t z, std::int64_t yy) const {
    const std::int64_t plane = (time - 1) * 3 + z % 3;
    return ring + 7 + (plane * ring_rows + (yy - (y.from - (depth - 1)))) * ring_row(box);
  }

  /// Row of old values, wherever it still is.
  const double* old_row(std::int64_t z, std::int64_t yy) const {
    if (z < slab.from)
      return saved.below + ((z - (slab.from - depth)) * box.ny + yy) * ring_row(box);
    if (z >= slab.to) return saved.above + ((z - slab.to) * box.ny + yy) * ring_row(box);
    if (yy < y.from && y.from > 1)
      return saved.south + ((z - slab.from) * depth + (yy - (y.from - depth))) * ring_row(box);
    return u + box.at(z, yy);
  }

  /// Row of a time; the boundary is the same at all times and nobody writes it.
  const double* row(std::int64_t time, std::int64_t z, std::int64_t yy) const {
    if (z == 0 || z == box.nz - 1 || yy == 0 || yy == box.ny - 1) return u + box.at(z, yy);
    return time == 0 ? old_row(z, yy) : ring_at(time, z, yy);
  }

  /// The next tile reads the last rows of this one as they were.
  void save_north(std::int64_t z) const {
    if (y.to == box.ny - 1) return;
    for (std::int64_t r = 0; r < steps; ++r)
      copy_row(u + box.at(z, y.to - steps + r),
               saved.next_south + ((z - slab.from) * depth + depth - steps + r) * ring_row(box),
               box.nx);
  }

  template <bool Ahead>
  void plane(std::int64_t time, std::int64_t z) const {
    const bool last = time == steps;
    if (last) save_north(z);
    const Range rows = y.grown(steps - time, box.ny);
    for (std::int64_t yy = rows.from; yy < rows.to; ++yy) {
      const double* const here = row(time - 1, z, yy);
      double* const out = last ? u + box.at(z, yy) : ring_at(time, z, yy);
      update_row<false, Ahead>(
          stencil,
          {here + 1, row(time - 1, z, yy - 1) + 1, row(time - 1, z, yy + 1) + 1,
           row(time - 1, z - 1, yy) + 1, row(time - 1, z + 1, yy) + 1},
          out + 1, box.nx - 2);
      if (!last) {
        out[0] = here[0];
        out[box.nx - 1] = here[box.nx - 1];
      }
    }
  }

  /// With two steps or more the plane that is overwritten lies behind all that is still read.
  void march() const {
    const Range all = slab.grown(steps - 1, box.nz);
    for (std::int64_t front = all.from; front < slab.to + steps - 1; ++front)
      for (std::int64_t time = 1; time <= steps; ++time) {
        const std::int64_t z = front - (time - 1);
        if (!slab.grown(steps - time, box.nz).holds(z)) continue;
        time == 1 ? plane<true>(time, z) : plane<false>(time, z);
      }
  }
};

/// Old planes beyond the slab, before their owner writes them.
inline void save_planes(const Box& box, const double* u, const Range& slab, const Saved& saved) {
  for (std::int64_t k = 0; k < depth; ++k)
    for (std::int64_t y = 0; y < box.ny; ++y) {
      const std::int64_t low = slab.from - depth + k, high = slab.to + k;
      const std::int64_t place = (k * box.ny + y) * ring_row(box);
      if (low >= 0) copy_row(u + box.at(low, y), saved.below + place, box.nx);
      if (high < box.nz) copy_row(u + box.at(high, y), saved.above + place, box.nx);
    }
}

static_assert(KNOB_TILE_Y >= depth, "a tile saves rows that are its own");

inline void step_slab(const Box& box, const Stencil& s, std::int64_t steps, double* u,
                      const Range& slab, double* ring, Saved saved) {
  for (std::int64_t from = 1; from < box.ny - 1; from += KNOB_TILE_Y) {
    const Range y = Range{from, from + KNOB_TILE_Y}.grown(0, box.ny);
    Tile{box, s, u, ring, saved, steps, slab, y}.march();
    double* const read = saved.south;
    saved.south = saved.next_south;
    saved.next_south = read;
  }
}

/// 2 <= `steps` <= depth time steps of u; `memory` holds memory_size().
inline void pass(const Box& box, const Stencil& s, std::int64_t steps, double* u, double* memory) {
#pragma omp parallel
  {
    const std::int64_t me = omp_get_thread_num(), threads = omp_get_num_threads();
    const std::int64_t planes = slab_planes(box, threads);
    const Range slab = Range{1 + me * planes, 1 + (me + 1) * planes}.grown(0, box.nz);
    double* const ring = memory + me * thread_memory(box, threads);
    double* const below = ring + fused::ring_size(box);
    double* const above = below + Saved::beyond(box);
    double* const south = above + Saved::beyond(box);
    const Saved saved{below, above, south, south + Saved::strip(box, planes)};
    if (slab.from < slab.to) save_planes(box, u, slab, saved);
#pragma omp barrier
    if (slab.from < slab.to) step_slab(box, s, steps, u, slab, ring, saved);
  }
}

}  // namespace folded
