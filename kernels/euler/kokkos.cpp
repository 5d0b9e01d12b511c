// Explicit Euler step with Kokkos: a flat range, or teams that each walk a strip.
// The caller provides n elements in both arrays; they do not overlap.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_range.h"

static rooftune::DeviceArray<const double> x_array;
static rooftune::DeviceArray<double> y_array;

void euler_prepare(std::int64_t n, double, const double* x, double* y) {
  x_array.copy_in(x, n);
  y_array.copy_in(y, n);
}

void euler(std::int64_t n, double a, const double*, double*) {
  const double* const x = x_array.data();
  double* const y = y_array.data();
  rooftune::for_range<KNOB_ELEMENTS>(
      0, n, KOKKOS_LAMBDA(const std::int64_t i) { y[i] = euler_body::stepped(a, x[i], y[i]); });
  Kokkos::fence();
}

void euler_finish(std::int64_t, double, const double*, double*) { y_array.copy_out(); }
