// y = s x, serial and plain. x and y hold n elements and do not overlap.
#include <cstdint>

void scale(std::int64_t n, double s, const double* x, double* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = s * x[i];
}
