// Bands on their way to a thread: straight from global memory, or through tiles of bands in the
// shared memory of the block. The caller gives dynamic shared memory of stage_bytes.
#pragma once
#include "cuda_columns.h"

namespace sigma_gpp {

/// Doubles of one buffer: `tile_n` bands of aqsn, aqsm, wx and occ, in this order.
constexpr int tile_n = KNOB_TILE_N;
constexpr int stage_a = all_staged ? 2 * tile_n * tile_i : 0;
constexpr int stage_m = 2 * tile_n * tile_g;
constexpr int stage_x = tile_n * energies;
constexpr int stage_doubles = (stage_a + stage_m + stage_x + tile_n + 1) / 2 * 2;
constexpr int stage_bytes = staged ? 8 * stage_doubles * KNOB_BUFFERS : 0;

/// Reads band n of a tile for this thread.
__device__ __forceinline__ Band band_at(const Arrays& arrays, const Place& place, Int64 w, int n) {
  Band band;
#pragma unroll
  for (int r = 0; r < pairs_i; ++r)
    band.a[r] = shared_at(arrays.a, Int64{n} * arrays.nc + within(place.i[r], arrays.nc));
#pragma unroll
  for (int q = 0; q < pairs_g; ++q) {
    const double2 m = shared_load(arrays.m + Int64{n} * arrays.ng + within(place.g[q], arrays.ng));
    band.m[q] = {m.x, m.y};
  }
#pragma unroll
  for (int k = 0; k < energies; ++k)
    band.x[k] = shared_load(arrays.x + n * arrays.x_n + (w + k) * arrays.x_w);
  band.occ = shared_load(arrays.occ + n);
  return band;
}

/// One double2 or double into shared memory; with several buffers without waiting for it.
__device__ __forceinline__ void bring(double2* to, const double2* from) {
  if constexpr (KNOB_BUFFERS > 1)
    rooftune::async_copy16(to, from);
  else
    *to = *from;
}
__device__ __forceinline__ void bring(double* to, const double* from) {
  if constexpr (KNOB_BUFFERS > 1)
    rooftune::async_copy8(to, from);
  else
    *to = *from;
}

/// Fills a buffer with `count` bands from `first` on, and with the last of them behind those.
__device__ __forceinline__ void fill(const Arrays& arrays, const Tile& tile, Int64 w, int first,
                                     int count, double* buffer) {
  const int mine = static_cast<int>(threadIdx.y) * KNOB_BLOCK_X + static_cast<int>(threadIdx.x);
  double2* const a = reinterpret_cast<double2*>(buffer);
  double2* const m = reinterpret_cast<double2*>(buffer + stage_a);
  double* const x = buffer + stage_a + stage_m;
  const auto band = [&](int n) { return Int64{first} + (n < count ? n : count - 1); };
  if constexpr (all_staged)
#pragma unroll 1
    for (int k = mine; k < tile_n * tile_i; k += threads) {
      const Int64 from = band(k / tile_i) * arrays.nc + within(tile.i + k % tile_i, arrays.nc);
      if constexpr (split) {
        bring(&a[k].x, arrays.a.data + from);
        bring(&a[k].y, arrays.a.data + from + arrays.a.imaginary);
      } else {
        bring(a + k, reinterpret_cast<const double2*>(arrays.a.data) + from);
      }
    }
#pragma unroll 1
  for (int k = mine; k < tile_n * tile_g; k += threads)
    bring(m + k, arrays.m + band(k / tile_g) * arrays.ng + within(tile.g + k % tile_g, arrays.ng));
#pragma unroll 1
  for (int k = mine; k < tile_n * energies; k += threads)
    bring(x + k, arrays.x + band(k / energies) * arrays.x_n + (w + k % energies) * arrays.x_w);
#pragma unroll 1
  for (int k = mine; k < tile_n; k += threads) bring(x + stage_x + k, arrays.occ + band(k));
}

/// Band n of the tile of which the buffer holds number k.
__device__ __forceinline__ Band staged_band(const Arrays& arrays, const Place& place, int n,
                                            const double* buffer, int k) {
  Band band;
  const double2* const a = reinterpret_cast<const double2*>(buffer) + k * tile_i;
  const double2* const m = reinterpret_cast<const double2*>(buffer + stage_a) + k * tile_g;
  const double* const x = buffer + stage_a + stage_m;
#pragma unroll
  for (int r = 0; r < pairs_i; ++r)
    if constexpr (all_staged) {
      const double2 z = a[r * KNOB_BLOCK_X + static_cast<int>(threadIdx.x)];
      band.a[r] = {z.x, z.y};
    } else {
      band.a[r] = shared_at(arrays.a, Int64{n} * arrays.nc + within(place.i[r], arrays.nc));
    }
#pragma unroll
  for (int q = 0; q < pairs_g; ++q) {
    const double2 z = m[q * KNOB_BLOCK_Y + static_cast<int>(threadIdx.y)];
    band.m[q] = {z.x, z.y};
  }
#pragma unroll
  for (int e = 0; e < energies; ++e) band.x[e] = x[k * energies + e];
  band.occ = x[stage_x + k];
  return band;
}

#if KNOB_STAGE == KNOB_STAGE_NONE

/// All bands of a tile, read where they are.
template <bool Vanishing>
__device__ __forceinline__ void add_bands(const Arrays& arrays, const Tile& tile,
                                          const Place& place, Int64 w, Columns& columns) {
#pragma unroll unroll
  for (int n = tile.n; n < tile.end; ++n)
    columns.add<Vanishing>(arrays, place, band_at(arrays, place, w, n));
}

#else

/// All bands of a tile, `tile_n` at a time through shared memory; with B buffers B - 1 of them are
/// under way.
template <bool Vanishing>
__device__ __forceinline__ void add_bands(const Arrays& arrays, const Tile& tile,
                                          const Place& place, Int64 w, Columns& columns) {
  ROOFTUNE_DYNAMIC_SHARED(double, memory);
  constexpr int ahead = KNOB_BUFFERS - 1;
  const auto filled = [&](int step) {
    const int first = tile.n + step * tile_n;
    if (first < tile.end)
      fill(arrays, tile, w, first, tile.end - first < tile_n ? tile.end - first : tile_n,
           memory + step % KNOB_BUFFERS * stage_doubles);
    rooftune::async_commit();
  };
  for (int step = 0; step < ahead; ++step) filled(step);
  for (int step = 0; tile.n + step * tile_n < tile.end; ++step) {
    filled(step + ahead);
    rooftune::async_wait<ahead>();
    __syncthreads();
    const int first = tile.n + step * tile_n;
    const int count = tile.end - first < tile_n ? tile.end - first : tile_n;
    const double* const buffer = memory + step % KNOB_BUFFERS * stage_doubles;
#pragma unroll unroll
    for (int k = 0; k < count; ++k)
      columns.add<Vanishing>(arrays, place, staged_band(arrays, place, first + k, buffer, k));
    __syncthreads();
  }
  rooftune::async_wait<0>();
}

#endif

}  // namespace sigma_gpp
