// Up to KNOB_TIME_BLOCK time steps in one pass over the box: tiles of the plane march along z, time
// t + 1 one plane behind time t. A thread keeps its column at all times in registers; the planes
// that its neighbours need lie in shared memory, or pass from lane to lane.
// The caller provides two fields of the box; the outermost layer of `to` is not written.
#pragma once
#include "cuda_box.h"

namespace diffusion3d_cuda {

constexpr int depth = KNOB_TIME_BLOCK;
constexpr int threads_of_plane = KNOB_BLOCK_X * KNOB_BLOCK_Y;
/// Points of a tile, and those at either end that other tiles write.
constexpr int tile_x = KNOB_BLOCK_X * width, tile_y = KNOB_BLOCK_Y * rows;
constexpr int lost_x = (depth + width - 1) / width * width, lost_y = depth;
constexpr int written_x = tile_x - 2 * lost_x, written_y = tile_y - 2 * lost_y;
/// Rows per thread that others see: with shuffles only its first and last.
constexpr int seen = shuffled && rows > 2 ? 2 : rows;
/// Doubles of one plane in shared memory; a row on either side belongs to no thread.
constexpr int plane_size = (2 + seen * KNOB_BLOCK_Y) * tile_x;
constexpr int slots = KNOB_ASYNC_COPY ? KNOB_AHEAD : 0;
/// Bytes.
constexpr Int64 planes_shared_bytes =
    8 * (Int64{KNOB_BUFFERS} * depth * plane_size + Int64{slots} * threads_of_plane * rows * width);

/// Planes that arrive: loaded KNOB_AHEAD planes before they are used.
struct Arrivals {
  const double* from;  ///< the patch's first point in plane 0
  Int64 plane, row, nz;
  unsigned present;  ///< rows that lie in the box
  double* mine;      ///< the thread's part of the first slot

  __device__ __forceinline__ Patch load(Int64 z) const {
    Patch patch = {};
#pragma unroll
    for (int j = 0; j < rows; ++j)
      if (z < nz && (present >> j & 1u)) patch.row[j] = load_strip(from + z * plane + j * row);
    return patch;
  }
  __device__ __forceinline__ double* slot(int s, int j) const {
    return mine + (s * rows + j) * threads_of_plane * width;
  }
  /// Nobody else reads the slot, so no barrier is needed. Absent points keep what the slot held,
  /// which no inner point ever needs.
  __device__ __forceinline__ void fetch(Int64 z, int s) const {
#pragma unroll
    for (int j = 0; j < rows; ++j)
      if (z < nz && (present >> j & 1u)) {
#if KNOB_VECTOR == 2
        rooftune::async_copy16(slot(s, j), from + z * plane + j * row);
#else
        rooftune::async_copy8(slot(s, j), from + z * plane + j * row);
#endif
      }
    rooftune::async_commit();
  }
  __device__ __forceinline__ Patch fetched(int s) const {
    Patch patch;
#pragma unroll
    for (int j = 0; j < rows; ++j)
#pragma unroll
      for (int k = 0; k < width; ++k) patch.row[j].v[k] = slot(s, j)[k];
    return patch;
  }
};

/// What one thread has of a tile.
struct Tile {
  Box box;
  double* seen_plane;  ///< time 0's plane in shared memory, at the thread's first point
  unsigned inner;      ///< points

  /// Row of shared memory in which row j of the patch lies, for rows that are seen.
  __device__ __forceinline__ static int line(int j) {
    return shuffled && rows > 2 ? (j == 0 ? 0 : 1) : j;
  }
  __device__ __forceinline__ double* at(int buffer, int t, int line) const {
    return seen_plane + (buffer * depth + t) * plane_size + line * tile_x;
  }
  __device__ __forceinline__ static Strip read(const double* p) {
    Strip s;
#pragma unroll
    for (int k = 0; k < width; ++k) s.v[k] = p[k];
    return s;
  }

  __device__ __forceinline__ void show(int buffer, int t, const Patch& here) const {
#pragma unroll
    for (int j = 0; j < rows; ++j) {
      if (shuffled && j > 0 && j + 1 < rows) continue;
      double* const p = at(buffer, t, line(j));
#if KNOB_VECTOR == 2
      *reinterpret_cast<double2*>(p) = make_double2(here.row[j].v[0], here.row[j].v[1]);
#else
      *p = here.row[j].v[0];
#endif
    }
  }
  __device__ __forceinline__ Strip left([[maybe_unused]] const double* p, const Strip& here) const {
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    return moved_right(rooftune::shuffle_up(here.v[width - 1], 1), here);
#else
    return moved_right(p[-1], here);
#endif
  }
  __device__ __forceinline__ Strip right([[maybe_unused]] const double* p,
                                         const Strip& here) const {
#if KNOB_NEIGHBOUR == KNOB_NEIGHBOUR_SHUFFLE
    return moved_left(here, rooftune::shuffle_down(here.v[0], 1));
#else
    return moved_left(here, p[width]);
#endif
  }

  /// A plane from time t to t + 1; boundary points stay.
  __device__ __forceinline__ Patch stepped_plane(int buffer, int t, bool inner_plane,
                                                 const Patch& below, const Patch& here,
                                                 const Patch& above) const {
    Patch result;
    const Strip south = read(at(buffer, t, -1)), north = read(at(buffer, t, seen));
    const unsigned bits = inner_plane ? inner : 0;
#pragma unroll
    for (int j = 0; j < rows; ++j) {
      const Strip& h = here.row[j];
      const double* const p = at(buffer, t, line(j));
      const Strip l = left(p, h), r = right(p, h);
      const Strip& s = j > 0 ? here.row[j > 0 ? j - 1 : 0] : south;
      const Strip& n = j + 1 < rows ? here.row[j + 1 < rows ? j + 1 : j] : north;
#pragma unroll
      for (int k = 0; k < width; ++k) {
        const double value = stepped(box, h.v[k], l.v[k], r.v[k], s.v[k], n.v[k], below.row[j].v[k],
                                     above.row[j].v[k]);
        result.row[j].v[k] = bits >> (j * width + k) & 1u ? value : h.v[k];
      }
    }
    return result;
  }
};

/// The columns of one thread at all times: plane z - 1 - t of time t, and the one below it.
struct Pipeline {
  Patch below[depth], here[depth];

  /// Plane z of time 0 has arrived; what becomes of it is plane z - steps of time `steps`.
  __device__ __forceinline__ Patch advance(const Tile& tile, int buffer, Int64 z, int steps,
                                           Patch arrived) {
#pragma unroll
    for (int t = 0; t < depth; ++t) {
      if (t >= steps) break;
      const Int64 p = z - 1 - t;
      const Patch result =
          tile.stepped_plane(buffer, t, p > 0 && p < tile.box.nz - 1, below[t], here[t], arrived);
      below[t] = here[t];
      here[t] = arrived;
      arrived = result;
    }
    return arrived;
  }
};

/// The next plane for march_planes, and the order of one that comes later.
struct Queue {
  Arrivals arrivals;
  Patch waiting[KNOB_AHEAD + 1];
  int slot = 0;

  __device__ __forceinline__ void begin(Int64 first) {
#pragma unroll
    for (int a = 0; a < KNOB_AHEAD; ++a)
      if (slots > 0)
        arrivals.fetch(first + a, a);
      else
        waiting[a] = arrivals.load(first + a);
  }
  __device__ __forceinline__ Patch take(Int64 z) {
#if KNOB_ASYNC_COPY && KNOB_AHEAD > 0
    rooftune::async_wait<KNOB_AHEAD - 1>();
    const Patch patch = arrivals.fetched(slot);
    arrivals.fetch(z + KNOB_AHEAD, slot);
    slot = slot + 1 == KNOB_AHEAD ? 0 : slot + 1;
#else
    waiting[KNOB_AHEAD] = arrivals.load(z + KNOB_AHEAD);
    const Patch patch = waiting[0];
#pragma unroll
    for (int a = 0; a < KNOB_AHEAD; ++a) waiting[a] = waiting[a + 1];
#endif
    return patch;
  }
};

__device__ __forceinline__ void march_planes(const Box& box, const Tiles& tiles, int steps,
                                             const double* from, double* to) {
  ROOFTUNE_DYNAMIC_SHARED(double, shared);
  const Place place = place_of(tiles, blockIdx.x);
  const Int64 x_low = place.x * written_x, y_low = place.y * written_y;
  const Int64 x = x_low - lost_x + threadIdx.x * width, y = y_low - lost_y + threadIdx.y * rows;
  const unsigned inner = points_in(x, y, 1, box.nx - 1, 1, box.ny - 1);
  const unsigned mine = inner & points_in(x, y, x_low, x_low + written_x, y_low, y_low + written_y);
  unsigned present = 0;
#pragma unroll
  for (int j = 0; j < rows; ++j)
    if (x >= 0 && x < box.nx && y + j >= 0 && y + j < box.ny) present |= 1u << j;
  const int in_row = static_cast<int>(threadIdx.x) * width;
  const Tile tile{box, shared + (1 + seen * static_cast<int>(threadIdx.y)) * tile_x + in_row,
                  inner};
  double* const slot = shared + KNOB_BUFFERS * depth * plane_size +
                       (static_cast<int>(threadIdx.y) * KNOB_BLOCK_X) * width + in_row;
  Queue queue{{from + y * box.row + x, box.plane, box.row, box.nz, present, slot}, {}, 0};
  Pipeline pipeline = {};
  const Int64 low = place.z * tiles.march;
  const Int64 high = low + tiles.march < box.nz ? low + tiles.march : box.nz;
  const Int64 first = low > depth ? low - depth : 0;
  queue.begin(first);
  int buffer = 0;
  for (Int64 z = first; z < high + steps; ++z) {
    for (int t = 0; t < depth; ++t) tile.show(buffer, t, pipeline.here[t]);
    __syncthreads();
    const Patch done = pipeline.advance(tile, buffer, z, steps, queue.take(z));
    const Int64 p = z - steps;
    if (p >= low && p > 0 && p < box.nz - 1)
#pragma unroll
      for (int j = 0; j < rows; ++j)
        store_strip(to + p * box.plane + (y + j) * box.row + x, done.row[j], bits_of_row(mine, j));
    if (KNOB_BUFFERS == 1)
      __syncthreads();
    else
      buffer ^= 1;
  }
#if KNOB_ASYNC_COPY && KNOB_AHEAD > 0
  rooftune::async_wait<0>();
#endif
}

}  // namespace diffusion3d_cuda
