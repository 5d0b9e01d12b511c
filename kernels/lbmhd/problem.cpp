// The input of lbmhd: populations in the equilibrium of an initial flow. Refuses what does not fit
// memory and flows that a BGK lattice does not survive.
#include "rooftune/problem.h"

#include <algorithm>
#include <cstdio>

#include "flows.h"
#include "rooftune/problem_input.h"
#include "velocities.h"

namespace mhd {
namespace {

using rooftune::Problem;

/// The caller's populations and moments, and two lattices of a variant.
void check_size(Problem& p, const Box& box) {
  const double sites =
      static_cast<double>(box.n[0]) * static_cast<double>(box.n[1]) * static_cast<double>(box.n[2]);
  const double need = sites * 8 * (3 * components + 7);
  check_memory(p, need, "the lattice needs", "--problem nx, ny, nz", "a smaller box");
}

/// Largest sum of the speeds of flow and field; they combine to the speed of waves.
double largest_speed(const Box& box, const std::string& initial, double a, double background) {
  double largest = 0;
  // Every eighth of the box at least; the flows are sums of few sines.
  const auto stride = [&](int axis) { return std::max<std::int64_t>(box.n[axis] / 16, 1); };
  for (std::int64_t z = 0; z < box.n[2]; z += stride(2))
    for (std::int64_t y = 0; y < box.n[1]; y += stride(1))
      for (std::int64_t x = 0; x < box.n[0]; x += stride(0)) {
        const Flow w =
            flow_at(initial, a, background, box.phase(x, 0), box.phase(y, 1), box.phase(z, 2));
        largest = std::max(largest,
                           std::hypot(w.u[0], w.u[1], w.u[2]) + std::hypot(w.b[0], w.b[1], w.b[2]));
      }
  return largest;
}

/// Above this many cells' worth of Reynolds number steep gradients are no longer damped.
constexpr double largest_grid_reynolds = 30;

void check_stability(Problem& p, double speed, double diffusivity) {
  char message[200];
  if (speed > 0.55) {
    std::snprintf(message, sizeof message,
                  "unstable: flow and field reach %.3f, the speed of sound is 0.577", speed);
    p.fail(message, "--problem amplitude, background", "smaller amplitudes");
  }
  if (speed / diffusivity > largest_grid_reynolds) {
    std::snprintf(
        message, sizeof message,
        "unstable: the grid Reynolds number %.3g / %.3g = %.1f is above %.0f; such a flow "
        "blows up after some hundred steps",
        speed, diffusivity, speed / diffusivity, largest_grid_reynolds);
    p.fail(message, "--problem amplitude, nu, eta", "a smaller amplitude, or larger nu and eta");
  }
}

double dot(int i, const double* v) { return c(i, 0) * v[0] + c(i, 1) * v[1] + c(i, 2) * v[2]; }

/// f_i at rest with `w`.
double fluid_equilibrium(const Flow& w, int i) {
  const double cu = dot(i, w.u), cb = dot(i, w.b), squared = squared_length(i);
  const double uu = w.u[0] * w.u[0] + w.u[1] * w.u[1] + w.u[2] * w.u[2];
  const double bb = w.b[0] * w.b[0] + w.b[1] * w.b[1] + w.b[2] * w.b[2];
  return weight(squared_length(i)) * (w.density * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu) +
                                      4.5 * (bb * (squared / 2 - 1. / 6) - cb * cb));
}

double magnetic_equilibrium(const Flow& w, int i, int a) {
  return magnetic_weight(squared_length(i)) *
         (w.b[a] + 3 * (dot(i, w.u) * w.b[a] - dot(i, w.b) * w.u[a]));
}

void fill(Problem& p, const Box& box, const std::string& initial, double a, double background) {
  const std::int64_t sites = box.n[0] * box.n[1] * box.n[2];
  double* const f = p.float64("f", velocities * sites);
  double* const g = p.float64("g", 3 * magnetic_velocities * sites);
  for (std::int64_t s = 0; s < sites; ++s) {
    const std::int64_t x = s % box.n[0], y = s / box.n[0] % box.n[1], z = s / box.n[0] / box.n[1];
    const Flow w =
        flow_at(initial, a, background, box.phase(x, 0), box.phase(y, 1), box.phase(z, 2));
    for (int i = 0; i < velocities; ++i) {
      f[i * sites + s] = fluid_equilibrium(w, i);
      if (f[i * sites + s] < 0)
        p.fail("unstable: a population of the initial state is negative",
               "--problem amplitude, background", "smaller amplitudes");
    }
    for (int k = 0; k < 3 * magnetic_velocities; ++k)
      g[k * sites + s] = magnetic_equilibrium(w, k / 3, k % 3);
  }
}

}  // namespace
}  // namespace mhd

extern "C" void problem(rooftune::Problem& p) {
  const mhd::Box box{{p.integer("nx"), p.integer("ny"), p.integer("nz")}};
  const std::string initial = p.text("initial");
  const double a = p.real("amplitude"), background = p.real("background");
  mhd::check_size(p, box);
  mhd::check_stability(p, mhd::largest_speed(box, initial, a, background),
                       std::min(p.real("nu"), p.real("eta")));
  mhd::fill(p, box, initial, a, background);
}
