// The metric of all points folded into factors (factors.h), kept beside each other row by row.
// The caller provides rows_metric_size().
#pragma once
#include "grid.h"

namespace hor_visc_kernel {

/// The caller's metric around a point, as fold_point asks for it. Beyond the rim it repeats the
/// rim: operators are never asked for where that would matter.
struct MetricAround {
  const Grid& grid;
  const MetricView& view;
  std::int64_t j, i;
  static std::int64_t within(std::int64_t n, std::int64_t count) {
    return n < 0 ? 0 : n < count ? n : count - 1;
  }
  double operator()(Metric m, int east, int north) const {
    return view(m, within(j + north, grid.rows()))[within(i + east, grid.row())];
  }
};

inline void fold_metric(const Grid& g, const double* metric, double* own) {
  const MetricView from = caller_metric(g, metric), to = rows_metric(g, own);
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < g.rows(); ++j)
    for (std::int64_t i = 0; i < g.row(); ++i) {
      double* const factors = own + (to(0, j) - own) + i;
      fold_point(MetricAround{g, from, j, i},
                 [&](int place, double value) { factors[place * to.quantity] = value; });
    }
}

}  // namespace hor_visc_kernel
