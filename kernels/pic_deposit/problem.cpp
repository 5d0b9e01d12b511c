// The particles of pic_deposit: a plasma of even density or in a bunch, with thermal velocities, in
// random order or sorted by cell.
#include "rooftune/problem.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "rooftune/problem_input.h"

namespace {

using rooftune::Problem;
using rooftune::RandomStream;

/// Mean 0, variance 1 (sum of twelve; only the second moment matters here).
double thermal(RandomStream& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.unit();
  return sum;
}

struct Particle {
  double x, y, z, vx, vy, vz, w;
};

struct Box {
  std::int64_t nx, ny, nz, particles;
};

Box box(Problem& p) {
  for (const char* name : {"nx", "ny", "nz"})
    if (p.integer(name) < 1)
      refuse(p, std::string(name) + " is below 1", std::string("--problem ") + name,
             "at least one cell in each direction");
  if (!(p.real("per_cell") >= 0))
    refuse(p, "per_cell is negative", "--problem per_cell", "particles in a cell on average");
  const double cells = static_cast<double>(p.integer("nx")) * static_cast<double>(p.integer("ny")) *
                       static_cast<double>(p.integer("nz"));
  const double particles = std::floor(cells * p.real("per_cell"));
  // Particles once more while they are put in order.
  const double need = 56 * particles * 2 + 32 * cells;
  if (cells > 2147483647.0)
    refuse(p, "more than 2147483647 cells: positions in the grid have 32 bits",
           "--problem nx,ny,nz", "fewer cells");
  check_memory(p, need, "particles and grid need", "--problem nx,ny,nz,per_cell",
               "fewer cells or particles");
  return {p.integer("nx"), p.integer("ny"), p.integer("nz"), static_cast<std::int64_t>(particles)};
}

/// A place in [0, n): anywhere, or around the middle of a bunch a sixth of the box wide.
double place(RandomStream& random, std::int64_t n, bool bunch) {
  const auto length = static_cast<double>(n);
  if (!bunch) return std::min(random.unit() * length, std::nextafter(length, 0.0));
  for (;;) {
    const double x = length * (0.5 + thermal(random) / 6);
    if (x >= 0 && x < length) return x;
  }
}

std::vector<Particle> plasma(Problem& p, const Box& b) {
  RandomStream random(static_cast<std::uint64_t>(p.integer("seed")));
  const bool bunch = std::string(p.text("density")) == "bunch";
  std::vector<Particle> particles(static_cast<std::size_t>(b.particles));
  for (Particle& q : particles)
    q = {place(random, b.nx, bunch),
         place(random, b.ny, bunch),
         place(random, b.nz, bunch),
         thermal(random),
         thermal(random),
         0.5 + thermal(random),
         0.5 + random.unit()};
  return particles;
}

std::int64_t cell(const Particle& q, const Box& b) {
  return (static_cast<std::int64_t>(q.z) * b.ny + static_cast<std::int64_t>(q.y)) * b.nx +
         static_cast<std::int64_t>(q.x);
}

}  // namespace

extern "C" void problem(rooftune::Problem& p) {
  const Box b = box(p);
  std::vector<Particle> particles = plasma(p, b);
  if (std::string(p.text("arrangement")) == "cell")
    std::stable_sort(particles.begin(), particles.end(),
                     [&](const Particle& a, const Particle& c) { return cell(a, b) < cell(c, b); });
  const char* const names[] = {"x", "y", "z", "vx", "vy", "vz", "w"};
  double Particle::*const members[] = {&Particle::x,  &Particle::y,  &Particle::z, &Particle::vx,
                                       &Particle::vy, &Particle::vz, &Particle::w};
  for (int k = 0; k < 7; ++k) {
    double* const array = p.float64(names[k], b.particles);
    for (std::size_t n = 0; n < particles.size(); ++n) array[n] = particles[n].*members[k];
  }
  p.set("particles", b.particles);
}
