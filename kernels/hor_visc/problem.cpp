// The input of hor_visc: the metric of a C grid with or without islands, layers of eddies and
// their thickness, and how many points are open sea.
#include "rooftune/problem.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "metrics.h"
#include "rooftune/problem_input.h"

namespace hor_visc_kernel {
namespace {

using rooftune::Problem;
using rooftune::RandomStream;

constexpr double pi = 3.14159265358979323846;
constexpr double earth_radius = 6.371e6;  ///< [m]

struct Domain {
  std::int64_t nx, ny, nz;
  std::int64_t row() const { return nx + 2 * halo; }
  std::int64_t rows() const { return ny + 2 * halo; }
  std::int64_t plane() const { return row() * rows(); }
};

Domain domain(Problem& p) {
  const Domain d{p.integer("nx"), p.integer("ny"), p.integer("nz")};
  for (const char* name : {"nx", "ny", "nz"})
    if (p.integer(name) < 1)
      refuse(p, std::string(name) + " is below 1", std::string("--problem ") + name,
             "at least one point in each direction");
  const double points = static_cast<double>(d.nx + 2 * halo) * static_cast<double>(d.ny + 2 * halo);
  const double need = 8 * points * (5 * static_cast<double>(d.nz) + int{metric_count});
  check_memory(p, need, "the grid needs", "--problem nx,ny,nz", "fewer points");
  return d;
}

/// Grid spacing [m] at a place counted in half cells from the middle of the south-west inner cell.
struct Spacing {
  double dx, dy;
};

/// 90 degrees of longitude, 40 degrees of latitude from 20 N on; or a plane of equal extent at 40
/// N.
Spacing spacing(Problem& p, const Domain& d, double j) {
  const double dlon = pi / 2 / static_cast<double>(d.nx),
               dlat = 2 * pi / 9 / static_cast<double>(d.ny);
  const bool plane = std::string(p.text("geometry")) == "plane";
  const double latitude = plane ? 2 * pi / 9 : pi / 9 + (j + 0.5) * dlat;
  return {earth_radius * std::cos(latitude) * dlon, earth_radius * dlat};
}

/// 1 where a cell is sea; round islands, the same across the periodic edges.
std::vector<char> sea(Problem& p, const Domain& d) {
  std::vector<char> wet(static_cast<std::size_t>(d.nx * d.ny), 1);
  if (std::string(p.text("land")) == "none") return wet;
  RandomStream random(static_cast<std::uint64_t>(p.integer("seed")) ^ 0x151a4du);
  const double radius = 0.05 * static_cast<double>(std::min(d.nx, d.ny));
  for (int island = 0; island < 12; ++island) {
    const double x = random.unit() * static_cast<double>(d.nx),
                 y = random.unit() * static_cast<double>(d.ny);
    for (std::int64_t j = 0; j < d.ny; ++j)
      for (std::int64_t i = 0; i < d.nx; ++i)
        if (std::hypot(static_cast<double>(i) - x, static_cast<double>(j) - y) < radius)
          wet[static_cast<std::size_t>(j * d.nx + i)] = 0;
  }
  return wet;
}

/// A point of the array, halo included, as inner point of the doubly periodic domain.
struct Wrapped {
  const Domain& d;
  std::int64_t operator()(std::int64_t i, std::int64_t j) const {
    const std::int64_t x = ((i - halo) % d.nx + d.nx) % d.nx, y = ((j - halo) % d.ny + d.ny) % d.ny;
    return y * d.nx + x;
  }
};

class MetricWriter {
 public:
  MetricWriter(Problem& p, const Domain& d, const std::vector<char>& wet)
      : p_(p), d_(d), wet_(wet), metric_(p.float64("metric", metric_count * d.plane())) {}

  /// Returns the inner points without land around: those at which all of the metric matters.
  std::int64_t write() {
    std::int64_t open = 0;
    for (std::int64_t j = 0; j < d_.rows(); ++j)
      for (std::int64_t i = 0; i < d_.row(); ++i) {
        faces(i, j);
        centre_and_corner(i, j);
        const bool inner = i >= halo && i < halo + d_.nx && j >= halo && j < halo + d_.ny;
        if (inner && at(mask_q, i, j) > 0) ++open;
      }
    return open;
  }

 private:
  double& at(Metric m, std::int64_t i, std::int64_t j) {
    return metric_[m * d_.plane() + j * d_.row() + i];
  }
  double is_sea(std::int64_t i, std::int64_t j) const {
    return wet_[static_cast<std::size_t>(Wrapped{d_}(i, j))];
  }
  Spacing place(double j) { return spacing(p_, d_, j - halo); }

  void faces(std::int64_t i, std::int64_t j) {
    const Spacing east = place(static_cast<double>(j)), north = place(static_cast<double>(j) + 0.5);
    at(idy_u, i, j) = 1 / east.dy;
    at(idx_u, i, j) = 1 / east.dx;
    at(idy_v, i, j) = 1 / north.dy;
    at(idx_v, i, j) = 1 / north.dx;
    at(iarea_u, i, j) = is_sea(i, j) * is_sea(i + 1, j) / (east.dx * east.dy);
    at(iarea_v, i, j) = is_sea(i, j) * is_sea(i, j + 1) / (north.dx * north.dy);
  }

  /// Smagorinsky's length^2 and the fourth power for the biharmonic viscosity: (C Delta)^n with
  /// Delta^2 = 2 dx^2 dy^2 / (dx^2 + dy^2).
  void viscosity(const Spacing& s, Metric laplacian, Metric biharmonic, std::int64_t i,
                 std::int64_t j) {
    const double delta2 = 2 * s.dx * s.dx * s.dy * s.dy / (s.dx * s.dx + s.dy * s.dy);
    const double c = p_.real("smagorinsky");
    at(laplacian, i, j) = c * c * delta2;
    at(biharmonic, i, j) = p_.real("smagorinsky_biharmonic") * delta2 * delta2;
  }

  void centre_and_corner(std::int64_t i, std::int64_t j) {
    const Spacing t = place(static_cast<double>(j)), q = place(static_cast<double>(j) + 0.5);
    at(dy_dx_t, i, j) = t.dy / t.dx;
    at(dx_dy_t, i, j) = t.dx / t.dy;
    at(dy_dx_q, i, j) = q.dy / q.dx;
    at(dx_dy_q, i, j) = q.dx / q.dy;
    at(dx2_t, i, j) = t.dx * t.dx;
    at(dy2_t, i, j) = t.dy * t.dy;
    at(dx2_q, i, j) = q.dx * q.dx;
    at(dy2_q, i, j) = q.dy * q.dy;
    viscosity(t, laplacian_t, biharmonic_t, i, j);
    viscosity(q, laplacian_q, biharmonic_q, i, j);
    at(mask_q, i, j) = is_sea(i, j) * is_sea(i + 1, j) * is_sea(i, j + 1) * is_sea(i + 1, j + 1);
  }

  Problem& p_;
  const Domain& d_;
  const std::vector<char>& wet_;
  double* metric_;
};

/// Eddies of a few wavelengths, weaker with depth, and noise; no flow through coasts.
void write_fields(Problem& p, const Domain& d, const std::vector<char>& wet) {
  double *const h = p.float64("h", d.nz * d.plane()), *const u = p.float64("u", d.nz * d.plane()),
                *const v = p.float64("v", d.nz * d.plane());
  const auto seed = static_cast<std::uint64_t>(p.integer("seed"));
  const Wrapped wrapped{d};
  std::vector<double> inner_h(wet.size()), inner_u(wet.size()), inner_v(wet.size());
  for (std::int64_t k = 0; k < d.nz; ++k) {
    RandomStream random(seed + 0x1000003u * static_cast<std::uint64_t>(k));
    const double strength = 0.6 / (1.0 + 0.1 * static_cast<double>(k));
    const double phase = 2 * pi * random.unit();
    for (std::int64_t j = 0; j < d.ny; ++j)
      for (std::int64_t i = 0; i < d.nx; ++i) {
        const double x = 2 * pi * static_cast<double>(i) / static_cast<double>(d.nx) + phase,
                     y = 2 * pi * static_cast<double>(j) / static_cast<double>(d.ny);
        const auto n = static_cast<std::size_t>(j * d.nx + i);
        const auto east = static_cast<std::size_t>(wrapped(i + 1 + halo, j + halo)),
                   north = static_cast<std::size_t>(wrapped(i + halo, j + 1 + halo));
        inner_h[n] = 20 + 10 * std::sin(2 * x) * std::cos(3 * y) + 2 * random.unit();
        inner_u[n] = wet[n] * wet[east] * strength *
                     (std::sin(3 * x) * std::cos(4 * y) + 0.1 * (random.unit() - 0.5));
        inner_v[n] = wet[n] * wet[north] * strength *
                     (std::cos(5 * x) * std::sin(2 * y) + 0.1 * (random.unit() - 0.5));
      }
    for (std::int64_t j = 0; j < d.rows(); ++j)
      for (std::int64_t i = 0; i < d.row(); ++i) {
        const auto from = static_cast<std::size_t>(wrapped(i, j));
        const std::int64_t to = k * d.plane() + j * d.row() + i;
        h[to] = inner_h[from];
        u[to] = inner_u[from];
        v[to] = inner_v[from];
      }
  }
}

}  // namespace
}  // namespace hor_visc_kernel

extern "C" void problem(rooftune::Problem& p) {
  using namespace hor_visc_kernel;
  const Domain d = domain(p);
  const std::vector<char> wet = sea(p, d);
  p.set("open_points", MetricWriter(p, d, wet).write());
  write_fields(p, d, wet);
}
