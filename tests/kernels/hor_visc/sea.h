// An input of hor_visc in the memory of a test, made by problem.cpp, and the reference called on
// it. The caller links kernels/hor_visc/problem.cpp and reference.cpp.
#pragma once
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../../kernels/hor_visc/metrics.h"
#include "rooftune/problem.h"

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double* metric, const double* h, const double* u, const double* v, double* du,
              double* dv);

namespace rooftune::testing {

struct Refusal {
  std::string message, where, hint;
};

class MemoryProblem final : public Problem {
 public:
  explicit MemoryProblem(std::map<std::string, std::string> chosen)
      : parameters_(std::move(chosen)) {
    parameters_.insert({{"nz", "2"},
                        {"geometry", "plane"},
                        {"land", "none"},
                        {"kh", "500"},
                        {"ah", "1e11"},
                        {"smagorinsky", "0.15"},
                        {"smagorinsky_biharmonic", "0.06"},
                        {"seed", "1"}});
  }
  const char* text(const char* name) const override { return parameters_.at(name).c_str(); }
  std::int64_t integer(const char* name) const override { return std::stoll(parameters_.at(name)); }
  double real(const char* name) const override { return std::stod(parameters_.at(name)); }
  void set(const char* fact, double value) override { facts[fact] = value; }
  void set(const char* fact, std::int64_t value) override {
    facts[fact] = static_cast<double>(value);
  }
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

  std::map<std::string, double> facts;
  std::map<std::string, std::vector<double>> arrays;

 private:
  std::map<std::string, std::string> parameters_;
};

/// The arguments of a call; indices (i, j) start at the first inner point.
struct Sea {
  explicit Sea(const std::map<std::string, std::string>& chosen) {
    MemoryProblem p(chosen);
    ::problem(p);
    nx = p.integer("nx");
    ny = p.integer("ny");
    nz = p.integer("nz");
    kh = p.real("kh");
    ah = p.real("ah");
    open_points = p.facts.at("open_points");
    metric = p.arrays.at("metric");
    h = p.arrays.at("h");
    u = p.arrays.at("u");
    v = p.arrays.at("v");
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

inline double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values)
    if (!(std::abs(value) <= result)) result = std::isnan(value) ? INFINITY : std::abs(value);
  return result;
}

}  // namespace rooftune::testing
