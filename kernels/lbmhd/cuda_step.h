// What a thread does with its sites: the whole collision, or the moments, or what follows from
// them; and where the 72 numbers stay between their sums and their relaxation. The caller chooses
// sites inside the box.
#pragma once
#include "cuda_lattice.h"
#include "plain.h"

namespace mhd {

/// density [sites], momentum and magnetic [3][sites]; density null when they are not wanted.
struct MomentArrays {
  double *density, *momentum, *magnetic;
};

__device__ __forceinline__ void put_number(double* array, Int64 site, double value) {
  array[site] = value;
}
__device__ __forceinline__ void put_number(double* array, Int64 site, const Two& value) {
  array[site] = value.x;
  array[site + 1] = value.y;
}
__device__ __forceinline__ void get_number(const double* array, Int64 site, double& value) {
  value = array[site];
}
__device__ __forceinline__ void get_number(const double* array, Int64 site, Two& value) {
  value = {array[site], array[site + 1]};
}

template <class T>
__device__ __forceinline__ void keep(const MomentArrays& to, Int64 sites, Int64 site,
                                     const Moments<T>& m) {
  put_number(to.density, site, m.density);
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    put_number(to.momentum, a * sites + site, m.momentum[a]);
    put_number(to.magnetic, a * sites + site, m.magnetic[a]);
  }
}

template <class T>
__device__ __forceinline__ Moments<T> kept(const MomentArrays& from, Int64 sites, Int64 site) {
  Moments<T> m;
  get_number(from.density, site, m.density);
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    get_number(from.momentum, a * sites + site, m.momentum[a]);
    get_number(from.magnetic, a * sites + site, m.magnetic[a]);
  }
  return m;
}

/// All numbers of the sites in registers.
template <class Source>
struct Registers {
  const Source& source;
  Number value[components];

  template <int K>
  __device__ __forceinline__ void fill() {
    if constexpr (K < components) {
      value[K] = source.template get<K>();
      fill<K + 1>();
    }
  }
  explicit __device__ __forceinline__ Registers(const Source& the_source) : source(the_source) {
    fill<0>();
  }
  template <int K>
  __device__ __forceinline__ Number get() const {
    return value[K];
  }
  template <int K>
  __device__ __forceinline__ void put(const Number& result) const {
    source.template put<K>(result);
  }
};

/// In a column of the block's shared memory, which only this thread touches.
template <class Source>
struct Shared {
  const Source& source;
  double* column;

  template <int K>
  __device__ __forceinline__ void fill() const {
    if constexpr (K < components) {
      double* const at = column + K * sites_together * threads;
#if KNOB_HOLD == KNOB_HOLD_ASYNC
      source.template copy_to<K>(at, threads);
#else
      const Number value = source.template get<K>();
      if constexpr (sites_together == 2) {
        at[0] = first_of(value);
        at[threads] = second_of(value);
      } else {
        *at = first_of(value);
      }
#endif
      fill<K + 1>();
    }
  }
  explicit __device__ __forceinline__ Shared(const Source& the_source) : source(the_source) {
    ROOFTUNE_DYNAMIC_SHARED(double, memory);
    column = memory +
             (static_cast<int>(threadIdx.z) * KNOB_BLOCK_Y + static_cast<int>(threadIdx.y)) *
                 KNOB_BLOCK_X +
             static_cast<int>(threadIdx.x);
    fill<0>();
    rooftune::async_commit();
    rooftune::async_wait<0>();
  }
  template <int K>
  __device__ __forceinline__ Number get() const {
    // Volatile: else compilers keep in registers what they have read for the sums.
    const volatile double* const at = column + K * sites_together * threads;
    return number(at[0], at[(sites_together - 1) * threads]);
  }
  template <int K>
  __device__ __forceinline__ void put(const Number& result) const {
    source.template put<K>(result);
  }
};

/// In the lattice, from where they come a second time, by way of the caches.
template <class Source>
struct Reloaded {
  const Source& source;

  explicit __device__ __forceinline__ Reloaded(const Source& the_source) : source(the_source) {}
  template <int K>
  __device__ __forceinline__ Number get() const {
    return source.template get_anew<K>();
  }
  template <int K>
  __device__ __forceinline__ void put(const Number& result) const {
    source.template put<K>(result);
  }
};

/// The part of a step that one launch does.
enum class Part { all, moments, relax, relax_f, relax_g };

/// What follows from the moments; a field's terms only where it is relaxed.
template <Part What, class Source>
__device__ __forceinline__ void relaxation(const Source& cells, const Moments<Number>& m,
                                           const Rates& r) {
  const Terms<Number> t = terms_of(m, r);
  if constexpr (What != Part::relax_g) {
    cells.template put<0>(cells.template get<0>() * r.keep + t.fluid.rest);
    relax_all_f<0>(cells, t.fluid, r);
  }
  if constexpr (What != Part::relax_f) {
    const Number(&b)[3] = t.magnetic.rest;
    cells.template put<g(0, 0)>(cells.template get<g(0, 0)>() * r.magnetic_keep + b[0]);
    cells.template put<g(0, 1)>(cells.template get<g(0, 1)>() * r.magnetic_keep + b[1]);
    cells.template put<g(0, 2)>(cells.template get<g(0, 2)>() * r.magnetic_keep + b[2]);
    relax_all_g<0>(cells, t.magnetic, r);
  }
}

/// Flow and field one after the other, since numbers that are read again need no registers.
template <class Held>
__device__ __forceinline__ Moments<Number> collision_in_turn(const Held& cells, const Rates& r) {
  const Moments<Number> m = moments<Number>(cells);
  relaxation<Part::relax_f>(cells, m, r);
  relaxation<Part::relax_g>(cells, m, r);
  return m;
}

/// A whole collision.
template <class Source>
__device__ __forceinline__ Moments<Number> collision(const Source& cells, const Rates& r) {
#if KNOB_COLLISION == KNOB_COLLISION_UNROLLED
  return collide_written_out<Number>(cells, r);
#elif KNOB_HOLD == KNOB_HOLD_REGISTERS
  return collide<Number>(Registers<Source>(cells), r);
#elif KNOB_HOLD == KNOB_HOLD_RELOAD
  return collision_in_turn(Reloaded<Source>(cells), r);
#else
  return collision_in_turn(Shared<Source>(cells), r);
#endif
}

/// The sites from (x, y, z) on.
template <Turn Way, Part What>
__device__ __forceinline__ void step_at(const double* from, double* to, const Grid& grid,
                                        const Rates& r, const MomentArrays& arrays, int x, int y,
                                        int z) {
  const Cells<Way> cells(from, to, grid, x, y, z);
  const Int64 sites = grid.sites(), site = (Int64{z} * grid.ny + y) * grid.nx + x;
  if constexpr (What == Part::all) {
    const Moments<Number> m = collision(cells, r);
    if (arrays.density != nullptr) keep(arrays, sites, site, m);
  } else if constexpr (What == Part::moments) {
    keep(arrays, sites, site, moments<Number>(cells));
  } else {
    relaxation<What>(cells, kept<Number>(arrays, sites, site), r);
  }
}

/// All sites of a block, which walks on by the whole grid.
template <Turn Way, Part What>
__device__ __forceinline__ void step_block(const double* from, double* to, const Grid& grid,
                                           const Rates& r, const MomentArrays& arrays) {
  constexpr int tile_x = KNOB_BLOCK_X * sites_together, tile_z = KNOB_BLOCK_Z * KNOB_ITEMS;
  const int tiles_x = (grid.nx + tile_x - 1) / tile_x;
  const int tiles_y = (grid.ny + KNOB_BLOCK_Y - 1) / KNOB_BLOCK_Y;
  const int tiles_z = (grid.nz + tile_z - 1) / tile_z;
  // A card that holds the numbers of 2^31 sites is far.
  const unsigned tiles_of_row = static_cast<unsigned>(tiles_x);
  const unsigned tiles = tiles_of_row * static_cast<unsigned>(tiles_y * tiles_z);
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row = static_cast<int>(tile / tiles_of_row);
#if KNOB_ORDER == KNOB_ORDER_XYZ
    const int tile_y = row % tiles_y, plane = row / tiles_y;
#else
    const int tile_y = row / tiles_z, plane = row % tiles_z;
#endif
    const int x =
        (static_cast<int>(tile % tiles_of_row) * KNOB_BLOCK_X + static_cast<int>(threadIdx.x)) *
        sites_together;
    const int y = tile_y * KNOB_BLOCK_Y + static_cast<int>(threadIdx.y);
    const int first = plane * tile_z + static_cast<int>(threadIdx.z);
    if (x >= grid.nx || y >= grid.ny) continue;
#pragma unroll 1
    for (int item = 0; item < KNOB_ITEMS; ++item) {
      const int z = first + item * KNOB_BLOCK_Z;
      if (z < grid.nz) step_at<Way, What>(from, to, grid, r, arrays, x, y, z);
    }
  }
}

}  // namespace mhd
