// Horner's rule, serial and plain: what every variant is compared with.
#include <cstdint>

void horner(std::int64_t n, std::int32_t degree, const double* c, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) {
    double value = c[degree];
    for (std::int32_t k = degree - 1; k >= 0; --k) value = value * x[i] + c[k];
    y[i] = value;
  }
}
