/* C = A B of n x n doubles, in the order of loops that the second word names. Rows of B are taken
 * in blocks of BLOCK columns, which the build chooses. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BLOCK
#define BLOCK 8
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One element after the other: each step takes the next row of B. */
static void by_element(int n, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

/* One row of B after the other, BLOCK columns of it at a time. */
static void by_row(int n, const double* a, const double* b, double* c) {
  memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
  for (int j0 = 0; j0 < n; j0 += BLOCK) {
    const int end = j0 + BLOCK < n ? j0 + BLOCK : n;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k) {
        const double x = a[i * n + k];
        for (int j = j0; j < end; ++j) c[i * n + j] += x * b[k * n + j];
      }
  }
}

/* The sum of all of C is that of (column k of A) times (row k of B). */
static int is_correct(int n, const double* a, const double* b, const double* c) {
  double sum = 0, expected = 0;
  for (int k = 0; k < n * n; ++k) sum += c[k];
  for (int k = 0; k < n; ++k) {
    double column = 0, row = 0;
    for (int i = 0; i < n; ++i) column += a[i * n + k], row += b[k * n + i];
    expected += column * row;
  }
  return fabs(sum - expected) <= 1e-9 * fabs(expected);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 0;
  const char* order = argc > 2 ? argv[2] : "element";
  if (n < 1 || n > 8192 || (strcmp(order, "element") != 0 && strcmp(order, "row") != 0)) {
    fprintf(stderr, "usage: matmul N element|row\n");
    return 2;
  }
  const size_t size = (size_t)n * (size_t)n * sizeof(double);
  double *a = malloc(size), *b = malloc(size), *c = malloc(size);
  if (!a || !b || !c) return 1;
  for (int i = 0; i < n * n; ++i) {
    a[i] = 1 + i % 7;
    b[i] = 1 + i % 5;
  }
  const double begin = now();
  if (strcmp(order, "row") == 0)
    by_row(n, a, b, c);
  else
    by_element(n, a, b, c);
  printf("time: %.6g s\n", now() - begin);
  printf("result: %s\n", is_correct(n, a, b, c) ? "correct" : "wrong");
  free(a);
  free(b);
  free(c);
  return 0;
}
