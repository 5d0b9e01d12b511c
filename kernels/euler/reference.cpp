// Explicit Euler step, serial: y = y + a x.
// The caller provides n elements in both arrays; they do not overlap.
#include <cstdint>

void euler(std::int64_t n, double a, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = y[i] + a * x[i];
}
