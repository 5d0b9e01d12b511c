// An input of pic_deposit in the memory of a test, made by problem.cpp, and the reference called on
// it. The caller links kernels/pic_deposit/problem.cpp and reference.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "rooftune/problem.h"

void pic_deposit(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t particles,
                 std::int64_t order, const double* x, const double* y, const double* z,
                 const double* vx, const double* vy, const double* vz, const double* w, double* rho,
                 double* jx, double* jy, double* jz);

namespace rooftune::testing {

struct Refusal {
  std::string message, where, hint;
};

class MemoryProblem final : public Problem {
 public:
  explicit MemoryProblem(std::map<std::string, std::string> chosen)
      : parameters_(std::move(chosen)) {
    parameters_.insert({{"nx", "8"},
                        {"ny", "8"},
                        {"nz", "8"},
                        {"per_cell", "4"},
                        {"order", "1"},
                        {"density", "uniform"},
                        {"arrangement", "random"},
                        {"seed", "1"}});
  }
  const char* text(const char* name) const override { return parameters_.at(name).c_str(); }
  std::int64_t integer(const char* name) const override { return std::stoll(parameters_.at(name)); }
  double real(const char* name) const override { return std::stod(parameters_.at(name)); }
  void set(const char*, double) override { throw std::logic_error("no fact is real"); }
  void set(const char* fact, std::int64_t value) override { facts[fact] = value; }
  void set(const char*, const char*) override { throw std::logic_error("no fact is text"); }
  double* float64(const char* name, std::int64_t count) override {
    return (arrays[name] = std::vector<double>(static_cast<std::size_t>(count))).data();
  }
  float* float32(const char*, std::int64_t) override { throw std::logic_error("no float"); }
  std::int32_t* int32(const char*, std::int64_t) override { throw std::logic_error("no int32"); }
  std::int64_t* int64(const char*, std::int64_t) override { throw std::logic_error("no int64"); }
  [[noreturn]] void fail(const char* message, const char* where, const char* hint) override {
    throw Refusal{message, where, hint};
  }

  std::map<std::string, std::int64_t> facts;
  std::map<std::string, std::vector<double>> arrays;

 private:
  std::map<std::string, std::string> parameters_;
};

enum Quantity { x, y, z, vx, vy, vz, w, quantities };
constexpr const char* quantity_names[quantities] = {"x", "y", "z", "vx", "vy", "vz", "w"};

/// The arguments of a call.
struct Plasma {
  explicit Plasma(const std::map<std::string, std::string>& chosen) {
    MemoryProblem p(chosen);
    ::problem(p);
    nx = p.integer("nx");
    ny = p.integer("ny");
    nz = p.integer("nz");
    order = p.integer("order");
    particles = p.facts.at("particles");
    for (int q = 0; q < quantities; ++q) of[q] = p.arrays.at(quantity_names[q]);
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

inline double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values)
    if (!(std::abs(value) <= result)) result = std::isnan(value) ? INFINITY : std::abs(value);
  return result;
}

}  // namespace rooftune::testing
