// A block of one slab of layers on its way from flow to acceleration: where its rows and its
// temporaries lie. The caller gives each thread temporaries_size() elements. Reads KNOB_ macros.
#pragma once
#include "folded.h"
#include "point.h"

namespace hor_visc_kernel {

enum Temporary {
  tension_row,
  shear_row,
  laplacian_u_row,
  laplacian_v_row,
  stress_t_row,
  stress_q_row,
  tension_squared_row,  ///< from here on only where the knobs say "store"
  shear_squared_row,
  thickness_u_row,
  thickness_v_row,
  temporary_count
};

constexpr bool in_rows = KNOB_SWEEP == KNOB_SWEEP_ROWS;
constexpr bool stores_squares = KNOB_SQUARES == KNOB_SQUARES_STORE;
constexpr bool stores_thickness = KNOB_THICKNESS == KNOB_THICKNESS_STORE;
/// Rows that stay alive when all stages follow each other row by row; a power of two.
constexpr std::int64_t ring = 4;

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
inline std::int64_t temporary_rows(const Grid& g) {
  return in_rows ? ring : blocks_j(g).block + 2 * halo;
}
inline std::int64_t temporaries_size(const Grid& g) {
  return temporary_count * temporary_rows(g) * temporary_row(g);
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
    const std::int64_t line = in_rows ? j & (ring - 1) : j - (j0 - halo);
    return memory + (t * temporary_rows(grid) + line) * temporary_row(grid) - (i0 - halo) * lanes;
  }

  /// Announces rows of the flow that come soon.
  void prefetch(std::int64_t j) const {
    if (KNOB_PREFETCH == 0 || j >= grid.rows()) return;
    for (std::int64_t n = (i0 - halo) * lanes; n < (i1 + halo) * lanes; n += 8) {
      rooftune::prefetch(u(j) + n, 0);
      rooftune::prefetch(v(j) + n, 0);
      rooftune::prefetch(h(j) + n, 0);
    }
  }
};

}  // namespace hor_visc_kernel
