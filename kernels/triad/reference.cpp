// STREAM triad, serial: a = b + s c.
// The caller provides n elements in each array; a overlaps neither b nor c.
#include <cstdint>

void triad(std::int64_t n, double s, const double* b, const double* c, double* a) {
  for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + s * c[i];
}
