// Two-point average or difference, serial: y_i = a (x_i + x_{i+shift}).
// The caller provides n + shift elements in x and n in y; they do not overlap.
#include <cstdint>

void finite_difference(std::int64_t n, std::int64_t shift, double a, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = a * (x[i] + x[i + shift]);
}
