// y = s x with Kokkos: a flat range, dealt in chunks.
// The caller provides n elements in x and y, which do not overlap.
#include "rooftune/kokkos.h"

using Range = Kokkos::RangePolicy<Kokkos::IndexType<std::int64_t>>;

static rooftune::DeviceArray<const double> x_array;
static rooftune::DeviceArray<double> y_array;

void scale_prepare(std::int64_t n, double, const double* x, double* y) {
  x_array.copy_in(x, n);
  y_array.copy_in(y, n);
}

void scale(std::int64_t n, double s, const double*, double*) {
  const double* const x = x_array.data();
  double* const y = y_array.data();
  Range range(0, n);
  if (KNOB_CHUNK > 0) range.set_chunk_size(KNOB_CHUNK);
  Kokkos::parallel_for(
      range, KOKKOS_LAMBDA(const std::int64_t i) { y[i] = s * x[i]; });
  Kokkos::fence();
}

void scale_finish(std::int64_t, double, const double*, double*) { y_array.copy_out(); }
