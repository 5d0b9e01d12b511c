// Several time steps of one-dimensional diffusion in one pass over memory, in place.
// The caller provides n elements in x. Reads the KNOB_ macros of openmp.cpp.
#pragma once
#include <omp.h>

#include "line.h"

namespace fused {

constexpr std::int64_t depth = KNOB_TIME_BLOCK;
constexpr std::int64_t tile = KNOB_BLOCK > 0 ? KNOB_BLOCK : 2048;

/// Most points to a neighbour that the manifest allows.
constexpr std::int64_t most_shift = 64;

/// What one thread keeps in its caches: a tile with its halo at two times, and old values at its
/// ends.
struct Buffers {
  alignas(64) double now[tile + 2 * depth * most_shift];
  alignas(64) double next[tile + 2 * depth * most_shift];
  double left[depth * most_shift];   ///< old values of the points just left of the tile
  double right[depth * most_shift];  ///< old values of the points right of the thread's share
};

inline void copy(const double* from, double* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

/// The thread's share [low, high) of the points, stepped tile by tile from left to right, so that
/// right of a tile x is still old.
struct Share {
  double* x;
  std::int64_t n, low, high, steps;
  Stencil stencil;

  std::int64_t halo() const { return steps * stencil.shift; }
  std::int64_t halo_low(std::int64_t from) const { return from > halo() ? from - halo() : 0; }
  std::int64_t halo_high(std::int64_t to) const { return to + halo() < n ? to + halo() : n; }

  /// Before any thread writes.
  void save_ends(Buffers& b) const {
    copy(x + halo_low(low), b.left, low - halo_low(low));
    copy(x + high, b.right, halo_high(high) - high);
  }

  /// now = old values of [halo_low(from), halo_high(to)); keeps those that the next tile needs.
  void gather(Buffers& b, std::int64_t from, std::int64_t to) const {
    const std::int64_t first = halo_low(from), last = halo_high(to);
    const std::int64_t mine = last < high ? last : high;
    copy(b.left, b.now, from - first);
    copy(x + from, b.now + (from - first), mine - from);
    if (last > high) copy(b.right, b.now + (high - first), last - high);
    const std::int64_t kept = halo_low(to);
    copy(b.now + (kept - first), b.left, to - kept);
  }

  void step_tile(Buffers& b, std::int64_t from, std::int64_t to) const {
    gather(b, from, to);
    const std::int64_t first = halo_low(from), last = halo_high(to);
    double *now = b.now, *next = b.next;
    // Boundary values are the same at all times.
    copy(now, next, stencil.shift);
    copy(now + (last - first - stencil.shift), next + (last - first - stencil.shift),
         stencil.shift);
    for (std::int64_t step = 1; step < steps; ++step) {
      const std::int64_t begin = first == 0 ? stencil.shift : step * stencil.shift;
      const std::int64_t end = last - first - (last == n ? 1 : step) * stencil.shift;
      update_line<false>(stencil, now + begin, next + begin, end - begin);
      double* const swapped = now;
      now = next;
      next = swapped;
    }
    update_line<false>(stencil, now + (from - first), x + from, to - from);
  }
};

/// `steps` <= depth time steps of all inner points. Internal linkage: the buffers of an inline
/// function would be one object for all variants that a process has loaded, whatever their tile.
static void pass(std::int64_t n, std::int64_t steps, const Stencil& stencil, double* x) {
#pragma omp parallel
  {
    static thread_local Buffers buffers;
    const std::int64_t threads = omp_get_num_threads(), me = omp_get_thread_num();
    const std::int64_t first = stencil.shift, last = n - stencil.shift;
    const std::int64_t size = ((last - first + threads - 1) / threads + 7) / 8 * 8;
    const std::int64_t low = first + me * size < last ? first + me * size : last;
    const std::int64_t high = low + size < last ? low + size : last;
    const Share share{x, n, low, high, steps, stencil};
    if (low < high) share.save_ends(buffers);
#pragma omp barrier
    for (std::int64_t from = low; from < high; from += tile)
      share.step_tile(buffers, from, from + tile < high ? from + tile : high);
  }
}

}  // namespace fused
