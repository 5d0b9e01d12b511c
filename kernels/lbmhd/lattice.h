// Where the 72 numbers of every site lie in memory. The caller allocates size() doubles.
// Reads the KNOB_ macros of openmp.cpp.
#pragma once
#include "velocities.h"

namespace mhd {

/// Sites side by side whose component k is contiguous: all of a row, 8, or 1. 0: one array per
/// component.
constexpr bool arrays_apart = KNOB_LAYOUT == KNOB_LAYOUT_SOA;
constexpr bool x_contiguous = arrays_apart || KNOB_LAYOUT == KNOB_LAYOUT_ROWS;
constexpr Int64 block_sites = KNOB_LAYOUT == KNOB_LAYOUT_AOSOA ? 8 : 1;

/// Components in the order in which they are stored: those that move to the same row together, so
/// that a row of sites reads nine long pieces of memory.
struct Storage {
  int component[components] = {}, slot[components] = {};

  constexpr Storage() {
    int next = 0;
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          for (int k = 0; k < components; ++k) {
            const int i = velocity_of(k);
            if (c(i, 0) != x || c(i, 1) != y || c(i, 2) != z) continue;
            component[next] = k;
            slot[k] = next++;
          }
  }
};
constexpr Storage storage;

struct Lattice {
  Int64 nx, ny, nz;
  Int64 component, row, plane;  ///< doubles from one to the next
  double* start;

  /// Component k of the first site of a row.
  double* at(int k, Int64 z, Int64 y) const {
    return start + storage.slot[k] * component + z * plane + y * row;
  }
  /// From the first site of a row to site x.
  static Int64 offset(Int64 x) {
    return x_contiguous ? x : x / block_sites * (components * block_sites) + x % block_sites;
  }
  Int64 sites() const { return nx * ny * nz; }
  Int64 size() const { return arrays_apart ? components * component : nz * plane; }
};

/// Rows start on cache lines; `pad` (a multiple of 8) more doubles after every array, or, in the
/// other layouts, after what a row keeps of a component or after a row.
inline Lattice lattice_of(Int64 nx, Int64 ny, Int64 nz, Int64 pad) {
  const Int64 length = (nx + 7) / 8 * 8;
  if (arrays_apart) {
    const Int64 array = length * ny * nz + pad;
    return {nx, ny, nz, array, length, length * ny, nullptr};
  }
  const Int64 component = x_contiguous ? length + pad : block_sites;
  const Int64 row = components * (x_contiguous ? component : length) + (x_contiguous ? 0 : pad);
  return {nx, ny, nz, component, row, row * ny, nullptr};
}

inline Int64 wrapped(Int64 i, Int64 n) { return i < 0 ? i + n : i >= n ? i - n : i; }

}  // namespace mhd
