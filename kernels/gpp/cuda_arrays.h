// The arrays of a call on the card, how a thread reads them, and the tiles that blocks take.
// The caller keeps what the pointers point to.
#pragma once
#include "body.h"
#include "cuda_knobs.h"
#include "rooftune/gpu.h"

namespace sigma_gpp {

using rooftune::Int64;

/// Complex numbers: pairs, or all real parts before all imaginary ones.
struct ComplexArray {
  const double* data;
  Int64 imaginary;  ///< split: doubles from a real part to its imaginary part
};

struct Arrays {
  int nb, ng, nc;         ///< within the limits of kernel.json
  ComplexArray t, e, a;   ///< wtilde, I_eps (G fastest, then G'), aqsn (G fastest, then n)
  const double2* m;       ///< aqsm, G' fastest, then n
  const double *v, *occ;  ///< of G', of bands
  const double* x;        ///< wx, energies filled up to whole blocks
  Int64 x_n, x_w;         ///< doubles from one band, one energy to the next
  int bands;              ///< of a tile
  unsigned tiles_i, tiles_g, tiles_n;  ///< fewer than 2^31 in all
  bool vanishing;                      ///< a pole is so small that |delta|^2 may be below tol_zero
};

/// Read again by other blocks.
template <class T>
__device__ __forceinline__ T shared_load(const T* p) {
#if KNOB_LOADS == KNOB_LOADS_PLAIN
  return *p;
#else
  return rooftune::load_read_only(p);
#endif
}

/// Read by one block of these bands only.
template <class T>
__device__ __forceinline__ T own_load(const T* p) {
#if KNOB_LOADS == KNOB_LOADS_STREAMING
  return rooftune::load_streaming(p);
#else
  return shared_load(p);
#endif
}

__device__ __forceinline__ Complex<double> shared_at(const ComplexArray& f, Int64 k) {
  if constexpr (split) return {shared_load(f.data + k), shared_load(f.data + k + f.imaginary)};
  const double2 z = shared_load(reinterpret_cast<const double2*>(f.data) + k);
  return {z.x, z.y};
}

__device__ __forceinline__ Complex<double> own_at(const ComplexArray& f, Int64 k) {
  if constexpr (split) return {own_load(f.data + k), own_load(f.data + k + f.imaginary)};
  const double2 z = own_load(reinterpret_cast<const double2*>(f.data) + k);
  return {z.x, z.y};
}

/// What a block works on before it takes the next: bands from `n` to `end`.
struct Tile {
  int i, g, n, end;
};

/// Tile number k; the index named first in the raster runs fastest.
__device__ __forceinline__ Tile tile_of(const Arrays& arrays, unsigned k) {
  unsigned i, g, n;
#if KNOB_RASTER == KNOB_RASTER_I_G_N
  i = k % arrays.tiles_i;
  g = k / arrays.tiles_i % arrays.tiles_g;
  n = k / arrays.tiles_i / arrays.tiles_g;
#elif KNOB_RASTER == KNOB_RASTER_G_I_N
  g = k % arrays.tiles_g;
  i = k / arrays.tiles_g % arrays.tiles_i;
  n = k / arrays.tiles_g / arrays.tiles_i;
#elif KNOB_RASTER == KNOB_RASTER_G_N_I
  g = k % arrays.tiles_g;
  n = k / arrays.tiles_g % arrays.tiles_n;
  i = k / arrays.tiles_g / arrays.tiles_n;
#else
  n = k % arrays.tiles_n;
  i = k / arrays.tiles_n % arrays.tiles_i;
  g = k / arrays.tiles_n / arrays.tiles_i;
#endif
  const int first = static_cast<int>(n) * arrays.bands;
  const int end = arrays.nb - first < arrays.bands ? arrays.nb : first + arrays.bands;
  return {static_cast<int>(i) * tile_i, static_cast<int>(g) * tile_g, first, end};
}

/// The last element where k is beyond it: such a thread works without weight.
__device__ __forceinline__ int within(int k, int count) { return k < count ? k : count - 1; }

/// The pairs (G', G) of this thread in a tile.
struct Place {
  int i[pairs_i], g[pairs_g];  ///< beyond the last where the thread has none

  /// Of pair p, G fastest, in wtilde and I_eps.
  __device__ __forceinline__ Int64 cell(const Arrays& arrays, int p) const {
    return Int64{within(g[p / pairs_i], arrays.ng)} * arrays.nc + within(i[p % pairs_i], arrays.nc);
  }
  /// v of its G', 0 where the thread has none.
  __device__ __forceinline__ double weight(const Arrays& arrays, int p) const {
    const int at = g[p / pairs_i];
    return at < arrays.ng && i[p % pairs_i] < arrays.nc ? arrays.v[at] : 0;
  }
};

__device__ __forceinline__ Place place_in(const Arrays& arrays, const Tile& tile) {
  Place place;
#pragma unroll
  for (int r = 0; r < pairs_i; ++r)
    place.i[r] = tile.i + r * KNOB_BLOCK_X + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int q = 0; q < pairs_g; ++q)
    place.g[q] = tile.g + q * KNOB_BLOCK_Y + static_cast<int>(threadIdx.y);
  return place;
}

}  // namespace sigma_gpp
