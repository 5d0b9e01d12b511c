/* C99 and C++17. Calls the library in all its ways. */
#include <stdio.h>
#include <string.h>

#include "tuned_small.h"

enum { n = 1000 };

static int wrong(const double* y) {
  int i, count = 0;
  for (i = 0; i < n; ++i) count += y[i] != 3.0 * i + 2;
  return count;
}

int main(void) {
  double* const y = (double*)tuned_small_allocate(n * sizeof(double), 1);
  static double x[n];
  static int32_t k[n];
  tuned_small* problem;
  int i, bad;
  if (!y) return 1;
  for (i = 0; i < n; ++i) {
    x[i] = i;
    k[i] = 2;
  }
  problem = tuned_small_prepare(0, n, 3.0, x, k, y);
  if (!problem || strcmp(tuned_small_variant(problem), "v1") != 0) return 2;
  if (tuned_small_run(problem, n, 3.0, x, k, y) != 0) return 3;
  if (tuned_small_finish(problem, n, 3.0, x, k, y) != 0) return 4;
  if (tuned_small_run(NULL, n, 3.0, x, k, y) >= 0) return 5;
  if (strstr(tuned_small_error(), "no problem") == NULL) return 6;
  tuned_small_free(problem);
  bad = wrong(y);
  for (i = 0; i < n; ++i) y[i] = 0;
  tuned_small_call(n, 3.0, x, k, y);
  bad += wrong(y);
  tuned_small_deallocate(y);
  printf("%d wrong\n", bad);
  return bad != 0;
}
