// The metric folded into the factors of the four operators, so that each is four products: what
// does not change from call to call is multiplied once. The caller provides rows_metric_size().
#pragma once
#include "grid.h"

namespace hor_visc_kernel {

/// Places of the factors among the rows of one j. Each operator has four, in the order of its
/// operands: east and west (or here and beyond) first, north and south after.
enum Factors {
  tension_factors = 0,
  shear_factors = 4,
  divergence_u_factors = 8,
  divergence_v_factors = 12,
  viscosity_factors = 16  ///< laplacian_t, laplacian_q, biharmonic_t, biharmonic_q
};

/// The caller's metric around row j, read as m(quantity, i, rows to the south). Beyond the rim it
/// repeats the rim: operators are never asked for where that would matter.
struct MetricRow {
  const Grid& grid;
  const MetricView& view;
  std::int64_t j;
  static std::int64_t within(std::int64_t n, std::int64_t count) {
    return n < 0 ? 0 : n < count ? n : count - 1;
  }
  double operator()(Metric m, std::int64_t i, std::int64_t south = 0) const {
    return view(m, within(j - south, grid.rows()))[within(i, grid.row())];
  }
};

inline void fold_point(const MetricRow& m, std::int64_t i, double* f, std::int64_t stride) {
  const auto put = [&](int at, double a, double b, double c, double d) {
    f[at * stride] = a;
    f[(at + 1) * stride] = b;
    f[(at + 2) * stride] = c;
    f[(at + 3) * stride] = d;
  };
  put(tension_factors, m(dy_dx_t, i) * m(idy_u, i), m(dy_dx_t, i) * m(idy_u, i - 1),
      m(dx_dy_t, i) * m(idx_v, i), m(dx_dy_t, i) * m(idx_v, i, 1));
  const double mask = m(mask_q, i);
  put(shear_factors, mask * m(dy_dx_q, i) * m(idy_v, i + 1), mask * m(dy_dx_q, i) * m(idy_v, i),
      mask * m(dx_dy_q, i) * m(idx_u, i, -1), mask * m(dx_dy_q, i) * m(idx_u, i));
  const double u = m(iarea_u, i), v = m(iarea_v, i);
  put(divergence_u_factors, u * m(idy_u, i) * m(dy2_t, i + 1), u * m(idy_u, i) * m(dy2_t, i),
      u * m(idx_u, i) * m(dx2_q, i), u * m(idx_u, i) * m(dx2_q, i, 1));
  put(divergence_v_factors, v * m(idy_v, i) * m(dy2_q, i), v * m(idy_v, i) * m(dy2_q, i - 1),
      v * m(idx_v, i) * m(dx2_t, i, -1), v * m(idx_v, i) * m(dx2_t, i));
  put(viscosity_factors, m(laplacian_t, i), m(laplacian_q, i), m(biharmonic_t, i),
      m(biharmonic_q, i));
}

inline void fold_metric(const Grid& g, const double* metric, double* own) {
  const MetricView from = caller_metric(g, metric), to = rows_metric(g, own);
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < g.rows(); ++j)
    for (std::int64_t i = 0; i < g.row(); ++i)
      fold_point({g, from, j}, i, own + (to(0, j) - own) + i, to.quantity);
}

}  // namespace hor_visc_kernel
