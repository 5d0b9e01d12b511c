// An application whose kernel was tuned before it was compiled: the header holds the choice.
// triad_tuned.h was written by: tune export --kernel triad --format header -o triad_tuned.h
#include <cstddef>
#include <cstdio>
#include <vector>

#include "triad_tuned.h"

namespace {

/// a = b + s c; n need not be a multiple of Unroll.
template <int Unroll>
void triad(std::size_t n, double* a, const double* b, const double* c, double s) {
  std::size_t i = 0;
  for (; i + Unroll <= n; i += Unroll)
    for (int k = 0; k < Unroll; ++k) a[i + k] = b[i + k] + s * c[i + k];
  for (; i < n; ++i) a[i] = b[i] + s * c[i];
}

}  // namespace

int main() {
  const std::size_t n = 1003;
  std::vector<double> a(n), b(n, 1), c(n, 2);
  triad<ROOFTUNE_TRIAD_UNROLL>(n, a.data(), b.data(), c.data(), 3);
#ifdef ROOFTUNE_TRIAD_SCHEDULE_DYNAMIC
  std::printf("schedule dynamic, ");
#else
  std::printf("schedule %s, ", ROOFTUNE_TRIAD_SCHEDULE_TEXT);
#endif
  std::printf("unroll %d, machine %s\n", ROOFTUNE_TRIAD_UNROLL, ROOFTUNE_TRIAD_MACHINE_ID);
  for (const double value : a)
    if (value != 7) return 1;
  return 0;
}
