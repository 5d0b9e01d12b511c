// A block of one slab of layers on its way from flow to acceleration: where its rows and its
// temporaries lie. The caller gives each thread temporaries_size() elements. Reads KNOB_ macros.
#pragma once
#include "folded.h"
#include "point.h"

namespace hor_visc_kernel {

enum Temporary {
  tension_row,
  tension_squared_row,  ///< squares and thickness: only where the knobs say "store"
  shear_row,
  laplacian_u_row,
  laplacian_v_row,
  stress_t_row,
  stress_q_row,
  shear_squared_row,
  thickness_u_row,
  thickness_v_row,
  temporary_count
};

constexpr bool in_rows = KNOB_SWEEP == KNOB_SWEEP_ROWS;
constexpr bool stores_squares = KNOB_SQUARES == KNOB_SQUARES_STORE;
constexpr bool stores_thickness = KNOB_THICKNESS == KNOB_THICKNESS_STORE;
/// Rows that stay alive when all stages follow each other row by row, a power of two: the tension
/// is needed one row longer and made one row earlier than the rest.
constexpr std::int64_t ring(Temporary t) { return t <= tension_squared_row ? 4 : 2; }
/// Rows of the rings before that of t.
constexpr std::int64_t ring_start(Temporary t) {
  return t <= tension_squared_row ? 4 * t : 8 + 2 * (t - shear_row);
}

struct Extent {
  std::int64_t length, block;
  std::int64_t count() const { return (length + block - 1) / block; }
  std::int64_t from(std::int64_t b) const { return halo + b * block; }
  std::int64_t to(std::int64_t b) const {
    return halo + ((b + 1) * block < length ? (b + 1) * block : length);
  }
};
inline Extent blocks_i(const Grid& g) {
  return {g.nx, KNOB_BLOCK_I > 0 && KNOB_BLOCK_I < g.nx ? KNOB_BLOCK_I : g.nx};
}
inline Extent blocks_j(const Grid& g) {
  return {g.ny, KNOB_BLOCK_J > 0 && KNOB_BLOCK_J < g.ny ? KNOB_BLOCK_J : g.ny};
}

inline std::int64_t temporary_row(const Grid& g) {
  return ((blocks_i(g).block + 2 * halo + 7) / 8 * 8 + KNOB_PAD) * lanes;
}
inline std::int64_t block_rows(const Grid& g) { return blocks_j(g).block + 2 * halo; }
inline std::int64_t temporaries_size(const Grid& g) {
  return (in_rows ? ring_start(temporary_count) : temporary_count * block_rows(g)) *
         temporary_row(g);
}

struct Tile {
  const Grid& grid;
  const Fields& fields;
  double kh, ah;
  double* memory;
  std::int64_t slab, i0, i1, j0, j1;  ///< inner points [i0, i1) x [j0, j1), counted with the halo

  const double* metric(Metric m, std::int64_t j) const { return fields.metric(m, j); }
  /// Row of folded factors, which only a folded metric has.
  const double* factor(int f, std::int64_t j) const { return fields.metric(f, j); }
  /// Smagorinsky's factors are the same in both.
  const double* viscosity(Metric m, std::int64_t j) const {
    return folded ? factor(viscosity_factors + (m - laplacian_t), j) : metric(m, j);
  }
  const double* row(const double* field, std::int64_t j) const {
    return field + (slab * grid.plane() + j * grid.row()) * lanes;
  }
  const double* h(std::int64_t j) const { return row(fields.h, j); }
  const double* u(std::int64_t j) const { return row(fields.u, j); }
  const double* v(std::int64_t j) const { return row(fields.v, j); }
  /// Row of du or dv, which have no halo.
  double* out(double* field, std::int64_t j) const {
    return field + ((slab * grid.ny + j - halo) * grid.nx - halo) * lanes;
  }
  double* temporary(Temporary t, std::int64_t j) const {
    const std::int64_t line =
        in_rows ? ring_start(t) + (j & (ring(t) - 1)) : t * block_rows(grid) + j - (j0 - halo);
    return memory + line * temporary_row(grid) - (i0 - halo) * lanes;
  }

  /// Row of h, u or v to announce while row j is at work; null beyond the last.
  const double* ahead(const double* field, std::int64_t j) const {
    return KNOB_PREFETCH > 0 && j + 2 + KNOB_PREFETCH < grid.rows()
               ? row(field, j + 2 + KNOB_PREFETCH)
               : nullptr;
  }
};

}  // namespace hor_visc_kernel
