// Where the points of the grid lie for a variant: the caller's arrays, or the variant's own fields
// with several layers side by side and its own copy of the metric. Reads the KNOB_ macros.
// The caller provides memory of the sizes told here.
#pragma once
#include "factors.h"
#include "rooftune/vector.h"

namespace hor_visc_kernel {

constexpr bool layers_inside = KNOB_LAYOUT == KNOB_LAYOUT_LAYERS;
constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : rooftune::widest_vector;
/// Layers that one vector holds, and that a point is wide in memory.
constexpr std::int64_t lanes = layers_inside ? width : 1;

struct Grid {
  std::int64_t nx, ny, nz;

  std::int64_t row() const { return nx + 2 * halo; }
  std::int64_t rows() const { return ny + 2 * halo; }
  std::int64_t plane() const { return row() * rows(); }
  /// Layers, or groups of layers that share vectors.
  std::int64_t slabs() const { return (nz + lanes - 1) / lanes; }
};

/// The metric: planes as the caller stores them, or the rows of all quantities beside each other.
struct MetricView {
  const double* start;
  std::int64_t row, quantity;  ///< elements from a row to the next, from a quantity to the next

  const double* operator()(int m, std::int64_t j) const { return start + m * quantity + j * row; }
};

constexpr bool folded = KNOB_METRIC == KNOB_METRIC_FOLDED;
/// Quantities of the variant's own metric: the caller's, or the factors of factors.h.
constexpr int own_quantities = folded ? int{factor_count} : int{metric_count};

inline std::int64_t metric_row(const Grid& g) { return (g.row() + 7) / 8 * 8; }

inline MetricView caller_metric(const Grid& g, const double* metric) {
  return {metric, g.row(), g.plane()};
}
inline MetricView rows_metric(const Grid& g, const double* metric) {
  return {metric, own_quantities * metric_row(g), metric_row(g)};
}
inline std::int64_t rows_metric_size(const Grid& g) {
  return g.rows() * own_quantities * metric_row(g);
}

inline void copy_metric(const Grid& g, const double* metric, double* own) {
  const MetricView from = caller_metric(g, metric), to = rows_metric(g, own);
#pragma omp parallel for schedule(static)
  for (std::int64_t j = 0; j < g.rows(); ++j)
    for (int m = 0; m < metric_count; ++m)
      for (std::int64_t i = 0; i < g.row(); ++i) own[to(m, j) - own + i] = from(m, j)[i];
}

/// Layers of `points` points each into slabs of `lanes` layers; layers beyond nz repeat the last.
inline void gather_layers(const Grid& g, std::int64_t points, const double* field, double* own) {
#pragma omp parallel for schedule(static)
  for (std::int64_t s = 0; s < g.slabs(); ++s)
    for (std::int64_t k = 0; k < lanes; ++k) {
      const std::int64_t layer = s * lanes + k < g.nz ? s * lanes + k : g.nz - 1;
      for (std::int64_t n = 0; n < points; ++n)
        own[(s * points + n) * lanes + k] = field[layer * points + n];
    }
}

inline void scatter_layers(const Grid& g, std::int64_t points, const double* own, double* field) {
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < g.nz; ++k)
    for (std::int64_t n = 0; n < points; ++n)
      field[k * points + n] = own[(k / lanes * points + n) * lanes + k % lanes];
}

/// The arrays of one call.
struct Fields {
  MetricView metric;
  const double *h, *u, *v;
  double *du, *dv;
};

}  // namespace hor_visc_kernel
