// Conjugate gradients on a 27-point operator, with the product y = A x that everybody writes first
// and with the exported one, in turns. Prints how much faster product and solver got.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "../ratio.h"
#include "tuned_spmv.h"

namespace {

struct Matrix {
  std::int64_t rows = 0;
  std::vector<std::int32_t> pointer, column;
  std::vector<double> value;
};

/// What holds of this matrix, as far as a variant needs it; tuned_spmv.h has them all. Never that x
/// stays the same: a solver changes it.
unsigned all_promises() {
  unsigned promises = 0;
#ifdef TUNED_SPMV_PROMISE_SYMMETRIC
  promises |= TUNED_SPMV_PROMISE_SYMMETRIC;
#endif
#ifdef TUNED_SPMV_PROMISE_SINGLE_VALUES
  promises |= TUNED_SPMV_PROMISE_SINGLE_VALUES;
#endif
  return promises;
}

/// 26 on the diagonal, -1 to every neighbour of an n^3 grid, and a little more to be definite.
Matrix stencil(std::int32_t n) {
  Matrix a;
  a.rows = std::int64_t{n} * n * n;
  a.pointer.push_back(0);
  for (std::int32_t z = 0; z < n; ++z)
    for (std::int32_t y = 0; y < n; ++y)
      for (std::int32_t x = 0; x < n; ++x) {
        for (std::int32_t dz = -1; dz <= 1; ++dz)
          for (std::int32_t dy = -1; dy <= 1; ++dy)
            for (std::int32_t dx = -1; dx <= 1; ++dx) {
              const std::int32_t i = x + dx, j = y + dy, k = z + dz;
              if (std::min({i, j, k}) < 0 || std::max({i, j, k}) >= n) continue;
              a.column.push_back((k * n + j) * n + i);
              a.value.push_back(dx == 0 && dy == 0 && dz == 0 ? 26.5 : -1);
            }
        a.pointer.push_back(static_cast<std::int32_t>(a.column.size()));
      }
  return a;
}

using Vector = std::vector<double>;
using Product = std::function<void(const double* x, double* y)>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Solved {
  double seconds = 0, in_product = 0, norm = 0;
};

/// So many steps from zero towards A x = 1. `p` and `q` are the vectors of the product: a library
/// takes those that it was prepared with.
Solved solve(const Product& product, int steps, Vector& p, Vector& q) {
  const std::size_t n = p.size();
  Vector x(n, 0), r(n, 1);
  p = r;
  Solved result;
  const double begin = now();
  double rr = dot(r, r);
  for (int step = 0; step < steps; ++step) {
    const double before = now();
    product(p.data(), q.data());
    result.in_product += now() - before;
    const double alpha = rr / dot(p, q);
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    const double next = dot(r, r), beta = next / rr;
    rr = next;
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
  }
  result.seconds = now() - begin;
  result.norm = std::sqrt(dot(x, x));
  return result;
}

/// Of 20 products, after one that is not timed.
double seconds_of(const Product& product, const Vector& x, Vector& y) {
  product(x.data(), y.data());
  const double begin = now();
  for (int i = 0; i < 20; ++i) product(x.data(), y.data());
  return now() - begin;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 80, rounds = count > 2 ? std::atoi(words[2]) : 15;
  const unsigned promises = count > 3 && std::atoi(words[3]) != 0 ? all_promises() : 0;
  const Matrix a = stencil(n);
  const auto entries = static_cast<std::int64_t>(a.value.size());
  const Product plain = [&](const double* x, double* y) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < a.rows; ++i) {
      double sum = 0;
      for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k)
        sum += a.value[k] * x[a.column[k]];
      y[i] = sum;
    }
  };
  Vector first(a.rows, 0), out(a.rows, 0);
  tuned_spmv* const problem =
      tuned_spmv_prepare(promises, a.rows, a.rows, entries, a.pointer.data(), a.column.data(),
                         a.value.data(), first.data(), out.data());
  if (!problem) return 2;
  const Product tuned = [&](const double* x, double* y) {
    if (tuned_spmv_run(problem, a.rows, a.rows, entries, a.pointer.data(), a.column.data(),
                       a.value.data(), x, y) == 0)
      return;
    std::fprintf(stderr, "%s\n", tuned_spmv_error());
    std::exit(2);
  };
  // What a study does: the same product of the same vectors again and again.
  std::vector<double> alone;
  std::vector<double> product, solver;
  double difference = 0;
  for (int round = 0; round < rounds; ++round) {
    const Solved before = solve(plain, 20, first, out), after = solve(tuned, 20, first, out);
    alone.push_back(seconds_of(plain, first, out) / seconds_of(tuned, first, out));
    product.push_back(before.in_product / after.in_product);
    solver.push_back(before.seconds / after.seconds);
    difference = std::max(difference, std::abs(before.norm - after.norm) / before.norm);
  }
  std::printf("variant %s: product %s, solver %s faster, norms differ by %.1e\n",
              tuned_spmv_variant(problem), ratio_text(product).c_str(), ratio_text(solver).c_str(),
              difference);
  std::printf("product %s faster outside of the solver\n", ratio_text(alone).c_str());
  tuned_spmv_free(problem);
  return difference < 1e-9 ? 0 : 1;
}
