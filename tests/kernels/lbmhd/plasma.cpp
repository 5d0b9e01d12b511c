// Problem and reference of kernels/lbmhd called in memory. The caller links both sources.
#include "plasma.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/kernel.h"

void lbmhd(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps, double omega,
           double omega_m, double* f, double* g, double* density, double* momentum,
           double* magnetic);

namespace rooftune::testing {
namespace {

const Parameters defaults = {{"nx", "64"},
                             {"ny", "64"},
                             {"nz", "64"},
                             {"steps", "2"},
                             {"initial", "orszag_tang_3d"},
                             {"amplitude", "0.02"},
                             {"background", "0.05"},
                             {"nu", "0.02"},
                             {"eta", "0.02"}};

/// As in kernels.md; the order is the caller's: rest, axes, corners, edges, each before its
/// opposite.
const int c[15][3] = {{0, 0, 0},   {1, 0, 0},  {-1, 0, 0},  {0, 1, 0},    {0, -1, 0},
                      {0, 0, 1},   {0, 0, -1}, {1, 1, 1},   {-1, -1, -1}, {1, 1, -1},
                      {-1, -1, 1}, {1, -1, 1}, {-1, 1, -1}, {1, -1, -1},  {-1, 1, 1}};

}  // namespace

Populations populations(const Parameters& parameters) {
  const MemoryProblem problem = made(parameters, defaults);
  return {problem.reals.at("f"), problem.reals.at("g")};
}

Plasma::Plasma(const Parameters& parameters, Flush flush) {
  const MemoryProblem all(parameters, defaults);
  n_[0] = all.integer("nx");
  n_[1] = all.integer("ny");
  n_[2] = all.integer("nz");
  steps_ = all.integer("steps");
  omega_ = 1 / (3 * all.real("nu") + 0.5);
  omega_m_ = 1 / (3 * all.real("eta") + 0.5);
  for (const std::int64_t per_site : {27, 45, 1, 3, 3}) {
    counts_.push_back(static_cast<std::size_t>(per_site * sites()));
    arrays_.emplace_back(counts_.back(), flush);
    std::fill_n(arrays_.back().data(), counts_.back(), std::numeric_limits<double>::quiet_NaN());
  }
  const Populations initial = populations(parameters);
  std::copy(initial.f.begin(), initial.f.end(), f());
  std::copy(initial.g.begin(), initial.g.end(), g());
  arguments_ = {&n_[0], &n_[1], &n_[2],    &steps_,    &omega_,   &omega_m_,
                f(),    g(),    density(), momentum(), magnetic()};
}

void Plasma::step_reference() {
  lbmhd(n_[0], n_[1], n_[2], steps_, omega_, omega_m_, f(), g(), density(), momentum(), magnetic());
}

void Plasma::advance(const BuiltFunction& variant, std::int64_t steps) {
  steps_ = steps;
  prepare(variant);
  call(variant);
  finish(variant);
}

std::vector<std::vector<double>> Plasma::arrays() const {
  std::vector<std::vector<double>> result;
  for (std::size_t k = 0; k < arrays_.size(); ++k)
    result.emplace_back(arrays_[k].data(), arrays_[k].data() + counts_[k]);
  return result;
}

std::array<double, 7> Plasma::sums() {
  std::array<double, 7> total{};
  for (std::int64_t s = 0; s < sites(); ++s) {
    total[0] += density()[s];
    for (int a = 0; a < 3; ++a) {
      total[1 + static_cast<std::size_t>(a)] += momentum()[a * sites() + s];
      total[4 + static_cast<std::size_t>(a)] += magnetic()[a * sites() + s];
    }
  }
  return total;
}

double Plasma::kinetic_energy() {
  double sum = 0;
  for (std::int64_t s = 0; s < sites(); ++s)
    for (int a = 0; a < 3; ++a) {
      const double m = momentum()[a * sites() + s];
      sum += m * m / density()[s] / 2;
    }
  return sum / static_cast<double>(sites());
}

double Plasma::magnetic_energy() {
  double sum = 0;
  for (std::int64_t i = 0; i < 3 * sites(); ++i) sum += magnetic()[i] * magnetic()[i] / 2;
  return sum / static_cast<double>(sites());
}

double Plasma::largest_divergence() {
  double largest = 0;
  for (std::int64_t s = 0; s < sites(); ++s) {
    double sum = 0;
    for (int i = 0; i < 15; ++i)
      for (int a = 0; a < 3; ++a) sum += c[i][a] * g()[(3 * i + a) * sites() + s];
    largest = std::max(largest, std::abs(sum));
  }
  return largest;
}

double excess(const std::vector<double>& got, const std::vector<double>& wanted) {
  static const Kernel kernel = find_kernel("lbmhd", ROOFTUNE_SOURCE_DIR);
  return excess(got, wanted, kernel.tolerance);
}

}  // namespace rooftune::testing
