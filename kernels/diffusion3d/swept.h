// One time step of 7-point diffusion from one field to another, in tiles of x, y and z.
// The caller provides two fields of the box with equal boundary layers. Reads the KNOB_ macros.
#pragma once
#include "field.h"
#include "row.h"

namespace swept {

struct Tiling {
  std::int64_t length, size;  ///< of the inner points; of a tile
  std::int64_t count() const { return (length + size - 1) / size; }
  std::int64_t from(std::int64_t tile) const { return 1 + tile * size; }
  std::int64_t to(std::int64_t tile) const {
    return (tile + 1) * size < length ? 1 + (tile + 1) * size : 1 + length;
  }
};

/// `block` 0: one tile.
inline Tiling tiling(std::int64_t extent, std::int64_t block) {
  return {extent - 2, block > 0 ? block : extent - 2};
}

inline void step(const Box& box, const Stencil& s, const double* now, double* next) {
  const Tiling tx = tiling(box.nx, KNOB_BLOCK_X), ty = tiling(box.ny, KNOB_BLOCK_Y),
               tz = tiling(box.nz, KNOB_BLOCK_Z);
  const std::int64_t count_x = tx.count(), count_y = ty.count(), count_z = tz.count();
#pragma omp parallel for collapse(KNOB_COLLAPSE) schedule(runtime)
  for (std::int64_t k = 0; k < count_z; ++k)
    for (std::int64_t j = 0; j < count_y; ++j)
      for (std::int64_t i = 0; i < count_x; ++i) {
        const std::int64_t x = tx.from(i), points = tx.to(i) - x;
        for (std::int64_t z = tz.from(k); z < tz.to(k); ++z)
          for (std::int64_t y = ty.from(j); y < ty.to(j); ++y) {
            const double* const p = now + box.at(z, y) + x;
            update_row<KNOB_NT_STORE, true>(
                s, {p, p - box.row, p + box.row, p - box.plane, p + box.plane},
                next + box.at(z, y) + x, points);
          }
        if (KNOB_NT_STORE) rooftune::stream_fence();
      }
}

}  // namespace swept
