// The particles of pic_deposit: a plasma of even density or in a bunch, with thermal velocities, in
// random order or sorted by cell.
#include "rooftune/problem.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using rooftune::Problem;

/// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}
  /// Uniform in [0, 1).
  double unit() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  /// Mean 0, variance 1 (sum of twelve; only the second moment matters here).
  double thermal() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

struct Particle {
  double x, y, z, vx, vy, vz, w;
};

struct Box {
  std::int64_t nx, ny, nz, particles;
};

/// Bytes that this process may use: memory of the machine, or less where a limit is set.
double usable_bytes() {
  double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  return bytes;
}

[[noreturn]] void refuse(Problem& p, const std::string& message, const char* where,
                         const char* hint) {
  p.fail(message.c_str(), where, hint);
  // Compilers forget that a virtual function does not return.
  __builtin_unreachable();
}

Box box(Problem& p) {
  for (const char* name : {"nx", "ny", "nz"})
    if (p.integer(name) < 1)
      refuse(p, std::string(name) + " is below 1", (std::string("--problem ") + name).c_str(),
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
  if (need > usable_bytes()) {
    char message[160];
    std::snprintf(message, sizeof message,
                  "particles and grid need %.1f GiB of memory, this process can have %.1f GiB",
                  need / 1073741824.0, usable_bytes() / 1073741824.0);
    refuse(p, message, "--problem nx,ny,nz,per_cell",
           "fewer cells or particles, or a machine with more memory");
  }
  return {p.integer("nx"), p.integer("ny"), p.integer("nz"), static_cast<std::int64_t>(particles)};
}

/// A place in [0, n): anywhere, or around the middle of a bunch a sixth of the box wide.
double place(RandomStream& random, std::int64_t n, bool bunch) {
  const auto length = static_cast<double>(n);
  if (!bunch) return std::min(random.unit() * length, std::nextafter(length, 0.0));
  for (;;) {
    const double x = length * (0.5 + random.thermal() / 6);
    if (x >= 0 && x < length) return x;
  }
}

std::vector<Particle> plasma(Problem& p, const Box& b) {
  RandomStream random(static_cast<std::uint64_t>(p.integer("seed")));
  const bool bunch = std::string(p.text("density")) == "bunch";
  std::vector<Particle> particles(static_cast<std::size_t>(b.particles));
  for (Particle& q : particles)
    q = {place(random, b.nx, bunch), place(random, b.ny, bunch), place(random, b.nz, bunch),
         random.thermal(),           random.thermal(),           0.5 + random.thermal(),
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
