// Two-point average or difference, serial: y_i = a (x_i + x_{i+1}).
// The caller provides n+1 elements in x and n in y; they do not overlap.
#include <cstdint>

void finite_difference(std::int64_t n, double a, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = a * (x[i] + x[i + 1]);
}
