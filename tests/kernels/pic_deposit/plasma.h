// An input of pic_deposit in the memory of a test, made by problem.cpp, and the reference called on
// it. The caller links kernels/pic_deposit/problem.cpp and reference.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/memory_problem.h"

void pic_deposit(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t particles,
                 std::int64_t order, const double* x, const double* y, const double* z,
                 const double* vx, const double* vy, const double* vz, const double* w, double* rho,
                 double* jx, double* jy, double* jz);

namespace rooftune::testing {

/// A small box, else as the manifest has it.
inline const Parameters plasma_defaults = {{"nx", "8"},
                                           {"ny", "8"},
                                           {"nz", "8"},
                                           {"per_cell", "4"},
                                           {"order", "1"},
                                           {"density", "uniform"},
                                           {"arrangement", "random"},
                                           {"seed", "1"}};

enum Quantity { x, y, z, vx, vy, vz, w, quantities };
constexpr const char* quantity_names[quantities] = {"x", "y", "z", "vx", "vy", "vz", "w"};

/// The arguments of a call.
struct Plasma {
  explicit Plasma(const Parameters& chosen) {
    const MemoryProblem p = made(chosen, plasma_defaults);
    nx = p.integer("nx");
    ny = p.integer("ny");
    nz = p.integer("nz");
    order = p.integer("order");
    particles = p.fact("particles");
    for (int q = 0; q < quantities; ++q) of[q] = p.reals.at(quantity_names[q]);
    for (auto& grid : grids) grid.assign(static_cast<std::size_t>(nx * ny * nz), NAN);
  }
  void solve() {
    pic_deposit(nx, ny, nz, particles, order, of[x].data(), of[y].data(), of[z].data(),
                of[vx].data(), of[vy].data(), of[vz].data(), of[w].data(), grids[0].data(),
                grids[1].data(), grids[2].data(), grids[3].data());
  }
  /// One particle alone.
  void keep(double px, double py, double pz) {
    particles = 1;
    const double values[quantities] = {px, py, pz, 2, -3, 5, 7};
    for (int q = 0; q < quantities; ++q) of[q] = {values[q]};
  }
  std::size_t node(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return static_cast<std::size_t>((k * ny + j) * nx + i);
  }

  std::int64_t nx, ny, nz, order, particles;
  std::vector<double> of[quantities];
  std::vector<double> grids[4];  ///< rho, jx, jy, jz
};

}  // namespace rooftune::testing
