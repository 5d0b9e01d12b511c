// STREAM triad with Kokkos: a flat range in chunks, or teams that each walk a strip.
// The caller provides n elements in each array; a overlaps neither b nor c.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_range.h"

static rooftune::DeviceArray<const double> b_array, c_array;
static rooftune::DeviceArray<double> a_array;

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double* a) {
  b_array.copy_in(b, n);
  c_array.copy_in(c, n);
  a_array.copy_in(a, n);
}

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  const double* const b = b_array.data();
  const double* const c = c_array.data();
  double* const a = a_array.data();
  rooftune::for_range(
      0, n, KOKKOS_LAMBDA(const std::int64_t i) { triad_body::element(i, s, b, c, a); });
  Kokkos::fence();
}

void triad_finish(std::int64_t, double, const double*, const double*, double*) {
  a_array.copy_out();
}
