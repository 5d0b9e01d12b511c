// The metric folded into the factors of the four operators, so that each is four products: what
// does not change from call to call or from layer to layer is multiplied once.
#pragma once
#include "metrics.h"
#include "rooftune/portable.h"

namespace hor_visc_kernel {

/// Places of the factors. Each operator has four, in the order of its operands: east and west (or
/// here and beyond) first, north and south after.
enum Factors {
  tension_factors = 0,
  shear_factors = 4,
  divergence_u_factors = 8,
  divergence_v_factors = 12,
  viscosity_factors = 16,  ///< laplacian_t, laplacian_q, biharmonic_t, biharmonic_q
  factor_count = 20
};

/// The factors of a point from the metric around it, m(quantity, points to the east, to the north):
/// put(place, value) takes each.
template <class M, class Put>
ROOFTUNE_FUNCTION void fold_point(const M& m, const Put& put) {
  const auto four = [&](int at, double a, double b, double c, double d) {
    put(at, a);
    put(at + 1, b);
    put(at + 2, c);
    put(at + 3, d);
  };
  const double dy_dx = m(dy_dx_t, 0, 0), dx_dy = m(dx_dy_t, 0, 0);
  four(tension_factors, dy_dx * m(idy_u, 0, 0), dy_dx * m(idy_u, -1, 0), dx_dy * m(idx_v, 0, 0),
       dx_dy * m(idx_v, 0, -1));
  const double x = m(mask_q, 0, 0) * m(dy_dx_q, 0, 0), y = m(mask_q, 0, 0) * m(dx_dy_q, 0, 0);
  four(shear_factors, x * m(idy_v, 1, 0), x * m(idy_v, 0, 0), y * m(idx_u, 0, 1),
       y * m(idx_u, 0, 0));
  const double ux = m(iarea_u, 0, 0) * m(idy_u, 0, 0), uy = m(iarea_u, 0, 0) * m(idx_u, 0, 0);
  four(divergence_u_factors, ux * m(dy2_t, 1, 0), ux * m(dy2_t, 0, 0), uy * m(dx2_q, 0, 0),
       uy * m(dx2_q, 0, -1));
  const double vx = m(iarea_v, 0, 0) * m(idy_v, 0, 0), vy = m(iarea_v, 0, 0) * m(idx_v, 0, 0);
  four(divergence_v_factors, vx * m(dy2_q, 0, 0), vx * m(dy2_q, -1, 0), vy * m(dx2_t, 0, 1),
       vy * m(dx2_t, 0, 0));
  four(viscosity_factors, m(laplacian_t, 0, 0), m(laplacian_q, 0, 0), m(biharmonic_t, 0, 0),
       m(biharmonic_q, 0, 0));
}

}  // namespace hor_visc_kernel
