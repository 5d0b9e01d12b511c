// An application with one kernel: explicit heat conduction on a plate of n x m points, 50 steps.
// Compiled with -DCAPTURE it writes the 20th step to capture/heat.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#ifdef CAPTURE
#include <rooftune/capture.h>
#endif

static void heat(int n, int m, double rate, const double* u, double* next) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
#pragma omp simd
    for (int j = 1; j < m - 1; ++j) {
      const int at = i * m + j;
      next[at] = u[at] + rate * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1] - 4 * u[at]);
    }
}

int main() {
  const int n = 120, m = 80;
  std::vector<double> u(n * m, 20.0), next;
  for (int j = 0; j < m; ++j) u[j] = 100 * std::sin(0.05 * j);
  next = u;
  for (int step = 0; step < 50; ++step) {
#ifdef CAPTURE
    ROOFTUNE_CAPTURE(20, heat, n, m, 0.2, ROOFTUNE_ARRAY(u.data(), n * m),
                     ROOFTUNE_ARRAY(next.data(), n * m));
#else
    heat(n, m, 0.2, u.data(), next.data());
#endif
    std::swap(u, next);
  }
  std::printf("%.6f\n", u[5 * m + 5]);
}
