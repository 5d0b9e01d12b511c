// Horizontal viscosity on a C grid, serial: strains, their divergence, stresses, accelerations, one
// layer after another (Griffies and Hallberg, Monthly Weather Review 128, 2000).
// The caller provides h, u, v of nz (ny + 4) (nx + 4) points, the planes of metrics.h and du, dv of
// nz ny nx points.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "metrics.h"

namespace {

using namespace hor_visc_kernel;

struct Grid {
  std::int64_t nx, ny;
  const double* metric;
  std::int64_t row() const { return nx + 2 * halo; }
  std::int64_t size() const { return row() * (ny + 2 * halo); }
  std::int64_t at(std::int64_t i, std::int64_t j) const { return (j + halo) * row() + i + halo; }
  double operator()(Metric m, std::int64_t i, std::int64_t j) const {
    return metric[m * size() + at(i, j)];
  }
};

/// One layer of a quantity, read as f(i, j) with the first inner point at (0, 0).
struct Plane {
  Grid grid;
  const double* data;
  double operator()(std::int64_t i, std::int64_t j) const { return data[grid.at(i, j)]; }
};

struct Field {
  explicit Field(const Grid& g) : grid(g), data(static_cast<std::size_t>(g.size())) {}
  Grid grid;
  std::vector<double> data;
  double operator()(std::int64_t i, std::int64_t j) const {
    return data[static_cast<std::size_t>(grid.at(i, j))];
  }
  double& operator()(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(grid.at(i, j))];
  }
};

template <class U, class W>
double tension_at(const Grid& g, const U& u, const W& v, std::int64_t i, std::int64_t j) {
  const double dudx =
      g(dy_dx_t, i, j) * (g(idy_u, i, j) * u(i, j) - g(idy_u, i - 1, j) * u(i - 1, j));
  const double dvdy =
      g(dx_dy_t, i, j) * (g(idx_v, i, j) * v(i, j) - g(idx_v, i, j - 1) * v(i, j - 1));
  return dudx - dvdy;
}

template <class U, class W>
double shear_at(const Grid& g, const U& u, const W& v, std::int64_t i, std::int64_t j) {
  const double dvdx =
      g(dy_dx_q, i, j) * (g(idy_v, i + 1, j) * v(i + 1, j) - g(idy_v, i, j) * v(i, j));
  const double dudy =
      g(dx_dy_q, i, j) * (g(idx_u, i, j + 1) * u(i, j + 1) - g(idx_u, i, j) * u(i, j));
  return g(mask_q, i, j) * (dvdx + dudy);
}

double divergence_u_at(const Grid& g, const Field& t, const Field& s, std::int64_t i,
                       std::int64_t j) {
  const double along_x = g(dy2_t, i + 1, j) * t(i + 1, j) - g(dy2_t, i, j) * t(i, j);
  const double along_y = g(dx2_q, i, j) * s(i, j) - g(dx2_q, i, j - 1) * s(i, j - 1);
  return g(iarea_u, i, j) * (g(idy_u, i, j) * along_x + g(idx_u, i, j) * along_y);
}

double divergence_v_at(const Grid& g, const Field& t, const Field& s, std::int64_t i,
                       std::int64_t j) {
  const double along_x = g(dy2_q, i, j) * s(i, j) - g(dy2_q, i - 1, j) * s(i - 1, j);
  const double along_y = g(dx2_t, i, j + 1) * t(i, j + 1) - g(dx2_t, i, j) * t(i, j);
  return g(iarea_v, i, j) * (g(idy_v, i, j) * along_x - g(idx_v, i, j) * along_y);
}

double square(double x) { return x * x; }

/// Thickness at a corner from the faces around it.
double corner_thickness(const Plane& h, std::int64_t i, std::int64_t j) {
  const double south = (h(i, j) + h(i + 1, j)) / 2, north = (h(i, j + 1) + h(i + 1, j + 1)) / 2;
  const double west = (h(i, j) + h(i, j + 1)) / 2, east = (h(i + 1, j) + h(i + 1, j + 1)) / 2;
  return 8 * south * north * west * east /
         ((south * north + west * east) * (south + north + west + east) +
          vanishing * vanishing * vanishing);
}

/// What one layer needs on its way from flow to acceleration.
struct Layer {
  explicit Layer(const Grid& g)
      : t(g), s(g), laplacian_of_u(g), laplacian_of_v(g), stress_t(g), stress_s(g) {}
  Field t, s, laplacian_of_u, laplacian_of_v, stress_t, stress_s;
};

/// Strains of the flow, and their divergence.
void strain(const Grid& g, const Plane& u, const Plane& v, Layer& a) {
  for (std::int64_t j = -2; j < g.ny + 1; ++j)
    for (std::int64_t i = -2; i < g.nx + 1; ++i) {
      a.t(i + 1, j + 1) = tension_at(g, u, v, i + 1, j + 1);
      a.s(i, j) = shear_at(g, u, v, i, j);
    }
  for (std::int64_t j = -1; j < g.ny + 1; ++j)
    for (std::int64_t i = -1; i < g.nx + 1; ++i) {
      a.laplacian_of_u(i, j) = divergence_u_at(g, a.t, a.s, i, j);
      a.laplacian_of_v(i, j) = divergence_v_at(g, a.t, a.s, i, j);
    }
}

/// Deformation from the strain at a point and the other strain at the four points around.
double deformation(double own, double p, double q, double r, double s) {
  return std::sqrt(square(own) + (square(p) + square(q) + square(r) + square(s)) / 4);
}

/// Stresses times thickness.
void stress(const Grid& g, double kh, double ah, const Plane& h, Layer& a) {
  for (std::int64_t j = 0; j < g.ny + 1; ++j)
    for (std::int64_t i = 0; i < g.nx + 1; ++i) {
      const double d =
          deformation(a.t(i, j), a.s(i, j), a.s(i - 1, j), a.s(i, j - 1), a.s(i - 1, j - 1));
      a.stress_t(i, j) = h(i, j) * (std::max(kh, g(laplacian_t, i, j) * d) * a.t(i, j) -
                                    std::max(ah, g(biharmonic_t, i, j) * d) *
                                        tension_at(g, a.laplacian_of_u, a.laplacian_of_v, i, j));
    }
  for (std::int64_t j = -1; j < g.ny; ++j)
    for (std::int64_t i = -1; i < g.nx; ++i) {
      const double d =
          deformation(a.s(i, j), a.t(i, j), a.t(i + 1, j), a.t(i, j + 1), a.t(i + 1, j + 1));
      a.stress_s(i, j) =
          corner_thickness(h, i, j) * (std::max(kh, g(laplacian_q, i, j) * d) * a.s(i, j) -
                                       std::max(ah, g(biharmonic_q, i, j) * d) *
                                           shear_at(g, a.laplacian_of_u, a.laplacian_of_v, i, j));
    }
}

void layer(const Grid& g, double kh, double ah, const Plane& h, const Plane& u, const Plane& v,
           double* du, double* dv) {
  Layer a(g);
  strain(g, u, v, a);
  stress(g, kh, ah, h, a);
  for (std::int64_t j = 0; j < g.ny; ++j)
    for (std::int64_t i = 0; i < g.nx; ++i) {
      du[j * g.nx + i] = divergence_u_at(g, a.stress_t, a.stress_s, i, j) /
                         ((h(i, j) + h(i + 1, j)) / 2 + vanishing);
      dv[j * g.nx + i] = divergence_v_at(g, a.stress_t, a.stress_s, i, j) /
                         ((h(i, j) + h(i, j + 1)) / 2 + vanishing);
    }
}

}  // namespace

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double* metric, const double* h, const double* u, const double* v, double* du,
              double* dv) {
  const Grid g{nx, ny, metric};
  for (std::int64_t k = 0; k < nz; ++k)
    layer(g, kh, ah, {g, h + k * g.size()}, {g, u + k * g.size()}, {g, v + k * g.size()},
          du + k * nx * ny, dv + k * nx * ny);
}
