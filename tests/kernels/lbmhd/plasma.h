// The arrays of one lbmhd problem between guard pages, made by problem.cpp, and what physics says
// about them. The caller names parameters as kernels/lbmhd/kernel.json does.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "built_function.h"
#include "guarded_array.h"
#include "support/memory_problem.h"
#include "variant_sample.h"

namespace rooftune::testing {

/// Populations that problem.cpp makes. Throws Refusal.
struct Populations {
  std::vector<double> f, g;
};
Populations populations(const Parameters& parameters);

class Plasma {
 public:
  explicit Plasma(const Parameters& parameters, Flush flush = Flush::end);
  Plasma(const Plasma&) = delete;
  Plasma& operator=(const Plasma&) = delete;

  /// kernels/lbmhd/reference.cpp, `steps` as in the parameters.
  void step_reference();
  void prepare(const BuiltFunction& variant) { variant.prepare(arguments_.data()); }
  void call(const BuiltFunction& variant) { variant.call(arguments_.data()); }
  void finish(const BuiltFunction& variant) { variant.finish(arguments_.data()); }
  /// prepare, call and finish.
  void advance(const BuiltFunction& variant, std::int64_t steps);

  std::int64_t sites() const { return n_[0] * n_[1] * n_[2]; }
  std::int64_t n(int axis) const { return n_[axis]; }
  double* f() { return arrays_[0].data(); }
  double* g() { return arrays_[1].data(); }
  double* density() { return arrays_[2].data(); }
  double* momentum() { return arrays_[3].data(); }
  double* magnetic() { return arrays_[4].data(); }
  /// f, g, density, momentum, magnetic.
  std::vector<std::vector<double>> arrays() const;

  /// Sums over all sites of density, momentum and field, from the populations.
  std::array<double, 7> sums();
  /// Mean of rho u^2 / 2 and of B^2 / 2, as the last step found them.
  double kinetic_energy();
  double magnetic_energy();
  /// Largest |sum_i c_i . g_i| of any site.
  double largest_divergence();

 private:
  std::int64_t n_[3], steps_;
  double omega_, omega_m_;
  std::vector<GuardedArray> arrays_;
  std::vector<std::size_t> counts_;
  std::array<void*, 11> arguments_{};
};

/// Largest difference of two arrays over what the manifest allows; infinite for a NaN.
double excess(const std::vector<double>& got, const std::vector<double>& wanted);

}  // namespace rooftune::testing
