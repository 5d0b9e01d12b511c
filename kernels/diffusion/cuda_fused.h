// Several time steps of one-dimensional diffusion in one pass over memory: a block's tile stepped
// in shared memory, or a warp's window stepped in its registers. Tiles and windows overlap by the
// points that a step makes unusable at their ends.
// The caller provides n elements in each array; `steps` is at most KNOB_TIME_BLOCK.
#pragma once
#include "cuda_line.h"
#include "rooftune/cuda_tile.h"

namespace diffusion_cuda {

/// Points of a block's tile that are written.
constexpr Int64 tile = rooftune::items_of_block * KNOB_VECTOR;

/// `points` rounded up to whole items.
__host__ __device__ constexpr Int64 whole_items(Int64 points) {
  return (points + KNOB_VECTOR - 1) / KNOB_VECTOR * KNOB_VECTOR;
}

/// Two buffers of the tile with its halo, bytes.
__host__ __device__ constexpr Int64 tile_bytes(Int64 shift) {
  return 2 * Int64{sizeof(double)} * (tile + 2 * whole_items(KNOB_TIME_BLOCK * shift));
}

/// One tile: points [start, start + tile) of y are x after `steps` steps.
__device__ __forceinline__ void step_tile(const Line& line, Int64 steps, Int64 start,
                                          const double* x, double* y, double* now, double* next) {
  const Int64 halo = whole_items(steps * line.shift);
  const Int64 high = start + tile < line.n ? start + tile : line.n;
  const Int64 first = start > halo ? start - halo : 0;
  const Int64 last = high + halo < line.n ? high + halo : line.n;
  rooftune::fetch_tile(now, x + first, last - first);
  __syncthreads();
  for (Int64 s = 1; s < steps; ++s) {
    const Int64 begin = first == 0 ? 0 : s * line.shift;
    const Int64 end = last - first - (last == line.n ? 0 : s * line.shift);
#pragma unroll rooftune::unrolled_items
    for (Int64 i = begin + threadIdx.x; i < end; i += KNOB_BLOCK)
      next[i] = line.inner(first + i)
                    ? line.stepped(now[i - line.shift], now[i], now[i + line.shift])
                    : now[i];
    __syncthreads();
    double* const stepped = next;
    next = now;
    now = stepped;
  }
#pragma unroll rooftune::unrolled_items
  for (Int64 i = start - first + threadIdx.x; i < high - first; i += KNOB_BLOCK)
    rooftune::store_hinted(y + first + i,
                           line.inner(first + i)
                               ? line.stepped(now[i - line.shift], now[i], now[i + line.shift])
                               : now[i]);
}

__device__ __forceinline__ void walk_tiles(const Line& line, Int64 steps, const double* x,
                                           double* y) {
  ROOFTUNE_DYNAMIC_SHARED(double, shared);
  double* const second = shared + tile + 2 * whole_items(KNOB_TIME_BLOCK * line.shift);
  for (Int64 start = blockIdx.x * tile; start < line.n; start += gridDim.x * tile) {
    step_tile(line, steps, start, x, y, shared, second);
    __syncthreads();
  }
}

/// Points that a lane keeps, side by side; points of a warp that are lost at either end, and
/// written.
constexpr int lane_points = KNOB_ITEMS * KNOB_VECTOR;
constexpr Int64 lost = whole_items(KNOB_TIME_BLOCK);
constexpr Int64 window = rooftune::warp_threads * lane_points - 2 * lost;

/// Neighbours one point away; what lies beyond the window is 0 and reaches only lost points.
struct Window {
  Line line;
  Int64 mine;  ///< the lane's first point, may lie before the line
  double v[lane_points];

  __device__ __forceinline__ void load(const double* x) {
#pragma unroll
    for (int j = 0; j < lane_points; j += KNOB_VECTOR) {
      const Int64 i = mine + j;
#if KNOB_VECTOR == 2
      if (i >= 0 && i + 1 < line.n) {
        const double2 both = Step::item(x + i);
        v[j] = both.x;
        v[j + 1] = both.y;
        continue;
      }
      v[j + 1] = i + 1 >= 0 && i + 1 < line.n ? x[i + 1] : 0;
#endif
      v[j] = i >= 0 && i < line.n ? rooftune::load_hinted(x + i) : 0;
    }
  }

  /// Inside: all points of the warp are inner ones.
  template <bool Inside>
  __device__ __forceinline__ void step() {
    double before = rooftune::shuffle_up(v[lane_points - 1], 1);
    const double beyond = rooftune::shuffle_down(v[0], 1);
#pragma unroll
    for (int j = 0; j < lane_points; ++j) {
      const double here = v[j], next = j + 1 < lane_points ? v[j + 1] : beyond;
      if (Inside || line.inner(mine + j)) v[j] = line.stepped(before, here, next);
      before = here;
    }
  }

  /// Those of [low, high).
  __device__ __forceinline__ void store(double* y, Int64 low, Int64 high) const {
#pragma unroll
    for (int j = 0; j < lane_points; j += KNOB_VECTOR) {
      const Int64 i = mine + j;
#if KNOB_VECTOR == 2
      if (i >= low && i + 1 < high) {
        rooftune::store_hinted(reinterpret_cast<double2*>(y + i), make_double2(v[j], v[j + 1]));
        continue;
      }
#endif
      if (i >= low && i < high) rooftune::store_hinted(y + i, v[j]);
    }
  }
};

__device__ __forceinline__ void walk_windows(const Line& line, Int64 steps, const double* x,
                                             double* y) {
  constexpr Int64 warps = KNOB_BLOCK / rooftune::warp_threads;
  const Int64 stride = gridDim.x * warps * window;
  for (Int64 low = (blockIdx.x * warps + threadIdx.x / rooftune::warp_threads) * window;
       low < line.n; low += stride) {
    const Int64 first = low - lost;
    Window w{line, first + threadIdx.x % rooftune::warp_threads * lane_points, {}};
    w.load(x);
    if (line.inner(first) && line.inner(first + rooftune::warp_threads * lane_points - 1))
      for (Int64 s = 0; s < steps; ++s) w.step<true>();
    else
      for (Int64 s = 0; s < steps; ++s) w.step<false>();
    w.store(y, low, low + window < line.n ? low + window : line.n);
  }
}

}  // namespace diffusion_cuda
