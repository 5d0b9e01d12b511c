// Two-point average with Kokkos: a flat range, or teams that each walk a strip.
// The caller provides n + shift elements in x and n in y; they do not overlap.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_range.h"

static rooftune::DeviceArray<const double> x_array;
static rooftune::DeviceArray<double> y_array;

void finite_difference_prepare(std::int64_t n, std::int64_t shift, double, const double* x,
                               double* y) {
  x_array.copy_in(x, n + shift);
  y_array.copy_in(y, n);
}

void finite_difference(std::int64_t n, std::int64_t shift, double a, const double*, double*) {
  const double* const x = x_array.data();
  double* const y = y_array.data();
  rooftune::for_range<KNOB_ELEMENTS>(
      0, n, KOKKOS_LAMBDA(const std::int64_t i) {
        y[i] = finite_difference_body::averaged<KNOB_FORM == KNOB_FORM_FACTORED>(a, x[i],
                                                                                 x[i + shift]);
      });
  Kokkos::fence();
}

void finite_difference_finish(std::int64_t, std::int64_t, double, const double*, double*) {
  y_array.copy_out();
}
