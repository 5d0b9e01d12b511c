// One time step by threads that march along z: the planes below and above a point stay in
// registers, its neighbours in the plane come from the caches or from the lanes beside.
// The caller provides two fields of the box; the outermost layer of `to` is not written.
#pragma once
#include "cuda_box.h"

namespace diffusion3d_cuda {

/// What one thread has: a patch of points, taken along z.
struct Column {
  Box box;
  const double* from;  ///< the patch's first point in plane 0
  unsigned present;    ///< rows, one bit each, that lie in the box
  unsigned inner;      ///< points

  __device__ __forceinline__ Patch load(Int64 z) const {
    Patch patch = {};
#pragma unroll
    for (int j = 0; j < rows; ++j)
      if (present >> j & 1u) patch.row[j] = load_strip(from + z * box.plane + j * box.row);
    return patch;
  }
  __device__ __forceinline__ Strip beside(Int64 z, int j, bool wanted) const {
    return wanted ? load_strip(from + z * box.plane + j * box.row) : Strip{};
  }
  /// One point of row j, `by` points from the strip's first.
  __device__ __forceinline__ double point(Int64 z, int j, int by) const {
    const double* const p = from + z * box.plane + j * box.row + by;
    return bits_of_row(inner, j) >> (by < 0 ? 0 : width - 1) & 1u ? rooftune::load<loads>(p) : 0.0;
  }

  __device__ __forceinline__ Strip left(Int64 z, int j, const Strip& here) const {
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    const double given = rooftune::shuffle_up(here.v[width - 1], 1);
    return moved_right(threadIdx.x % rooftune::warp_threads == 0 ? point(z, j, -1) : given, here);
#else
    return moved_right(point(z, j, -1), here);
#endif
  }
  __device__ __forceinline__ Strip right(Int64 z, int j, const Strip& here) const {
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    const double given = rooftune::shuffle_down(here.v[0], 1);
    return moved_left(here, threadIdx.x % rooftune::warp_threads == rooftune::warp_threads - 1
                                ? point(z, j, width)
                                : given);
#else
    return moved_left(here, point(z, j, width));
#endif
  }

  /// The patch of plane z one step later.
  __device__ __forceinline__ Patch stepped_plane(Int64 z, const Patch& below, const Patch& here,
                                                 const Patch& above) const {
    Patch result;
    const Strip south = beside(z, -1, bits_of_row(inner, 0) != 0);
    const Strip north = beside(z, rows, bits_of_row(inner, rows - 1) != 0);
#pragma unroll
    for (int j = 0; j < rows; ++j) {
      const Strip& h = here.row[j];
      const Strip l = left(z, j, h), r = right(z, j, h);
      const Strip& s = j > 0 ? here.row[j > 0 ? j - 1 : 0] : south;
      const Strip& n = j + 1 < rows ? here.row[j + 1 < rows ? j + 1 : j] : north;
#pragma unroll
      for (int k = 0; k < width; ++k)
        result.row[j].v[k] = stepped(box, h.v[k], l.v[k], r.v[k], s.v[k], n.v[k], below.row[j].v[k],
                                     above.row[j].v[k]);
    }
    return result;
  }
};

/// Planes [low, high) of the tile.
__device__ __forceinline__ void march_columns(const Box& box, const Tiles& tiles,
                                              const double* from, double* to) {
  const Place place = place_of(tiles, blockIdx.x);
  const Int64 x = (place.x * KNOB_BLOCK_X + threadIdx.x) * width;
  const Int64 y = (place.y * KNOB_BLOCK_Y + threadIdx.y) * rows;
  const Int64 low = place.z * tiles.march > 1 ? place.z * tiles.march : 1;
  const Int64 end = (place.z + 1) * tiles.march;
  const Int64 high = end < box.nz - 1 ? end : box.nz - 1;
  unsigned present = 0;
#pragma unroll
  for (int j = 0; j < rows; ++j)
    if (x < box.nx && y + j < box.ny) present |= 1u << j;
  const unsigned inner = points_in(x, y, 1, box.nx - 1, 1, box.ny - 1);
  const Column column{box, from + y * box.row + x, present, inner};
  double* const target = to + y * box.row + x;
  if (low >= high) return;
  Patch below = column.load(low - 1), here = column.load(low);
  Patch ahead[KNOB_AHEAD + 1];
#pragma unroll
  for (int a = 0; a < KNOB_AHEAD; ++a)
    if (low + 1 + a <= high) ahead[a] = column.load(low + 1 + a);
  for (Int64 z = low; z < high; ++z) {
    if (z + 1 + KNOB_AHEAD <= high) ahead[KNOB_AHEAD] = column.load(z + 1 + KNOB_AHEAD);
    const Patch result = column.stepped_plane(z, below, here, ahead[0]);
#pragma unroll
    for (int j = 0; j < rows; ++j)
      store_strip(target + z * box.plane + j * box.row, result.row[j], bits_of_row(inner, j));
    below = here;
    here = ahead[0];
#pragma unroll
    for (int a = 0; a < KNOB_AHEAD; ++a) ahead[a] = ahead[a + 1];
  }
}

}  // namespace diffusion3d_cuda
