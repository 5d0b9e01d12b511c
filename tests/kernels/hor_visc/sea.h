// An input of hor_visc in the memory of a test, made by problem.cpp, and the reference called on
// it. The caller links kernels/hor_visc/problem.cpp and reference.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "../../../kernels/hor_visc/metrics.h"
#include "support/memory_problem.h"
#include "variant_sample.h"

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double* metric, const double* h, const double* u, const double* v, double* du,
              double* dv);

namespace rooftune::testing {

/// The parameters that the manifest has defaults for.
inline const Parameters sea_defaults = {{"nz", "2"},
                                        {"geometry", "plane"},
                                        {"land", "none"},
                                        {"kh", "500"},
                                        {"ah", "1e11"},
                                        {"smagorinsky", "0.15"},
                                        {"smagorinsky_biharmonic", "0.06"},
                                        {"seed", "1"}};

/// The arguments of a call; indices (i, j) start at the first inner point.
struct Sea {
  explicit Sea(const Parameters& chosen) {
    const MemoryProblem p = made(chosen, sea_defaults);
    nx = p.integer("nx");
    ny = p.integer("ny");
    nz = p.integer("nz");
    kh = p.real("kh");
    ah = p.real("ah");
    open_points = p.facts.at("open_points");
    metric = p.reals.at("metric");
    h = p.reals.at("h");
    u = p.reals.at("u");
    v = p.reals.at("v");
    const auto inner = static_cast<std::size_t>(nx * ny * nz);
    du.assign(inner, NAN);
    dv.assign(inner, NAN);
  }

  std::int64_t plane() const { return (nx + 4) * (ny + 4); }
  std::size_t at(std::int64_t i, std::int64_t j, std::int64_t k = 0) const {
    return static_cast<std::size_t>(k * plane() + (j + 2) * (nx + 4) + i + 2);
  }
  std::size_t inner(std::int64_t i, std::int64_t j, std::int64_t k = 0) const {
    return static_cast<std::size_t>((k * ny + j) * nx + i);
  }
  double m(hor_visc_kernel::Metric which, std::int64_t i, std::int64_t j) const {
    return metric[at(i, j, which)];
  }
  /// field = f(i, j) at all points of all layers, halo included.
  template <class F>
  void fill(std::vector<double>& field, const F& f) {
    for (std::int64_t k = 0; k < nz; ++k)
      for (std::int64_t j = -2; j < ny + 2; ++j)
        for (std::int64_t i = -2; i < nx + 2; ++i) field[at(i, j, k)] = f(i, j);
  }
  void solve() {
    hor_visc(nx, ny, nz, kh, ah, metric.data(), h.data(), u.data(), v.data(), du.data(), dv.data());
  }

  std::int64_t nx, ny, nz;
  double kh, ah, open_points;
  std::vector<double> metric, h, u, v, du, dv;
};

}  // namespace rooftune::testing
