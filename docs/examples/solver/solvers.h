// Krylov solvers and a geometric multigrid over any product y = alpha A x + beta y. None of them
// copies a vector for the product's sake.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace solvers {

using Vector = std::vector<double>;
using Product = std::function<void(double alpha, const double* x, double beta, double* y)>;

inline double dot(const Vector& a, const Vector& b) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double norm(const Vector& a) { return std::sqrt(dot(a, a)); }

/// y = a x + b y.
inline void add(double a, const Vector& x, double b, Vector& y) {
#pragma omp parallel for
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = a * x[i] + b * y[i];
}

inline void scale(double a, Vector& y) {
#pragma omp parallel for
  for (std::size_t i = 0; i < y.size(); ++i) y[i] *= a;
}

/// Steps until the residual is `tolerance` times the right-hand side, from x = 0; at most `most`.
/// Conjugate gradients, for symmetric and definite A.
inline int cg(const Product& product, const Vector& b, Vector& x, double tolerance, int most) {
  Vector r = b, p = b, q(b.size());
  double rr = dot(r, r);
  const double end = tolerance * norm(b);
  for (int step = 1; step <= most; ++step) {
    product(1, p.data(), 0, q.data());
    const double alpha = rr / dot(p, q);
    add(alpha, p, 1, x);
    add(-alpha, q, 1, r);
    const double next = dot(r, r);
    if (std::sqrt(next) <= end) return step;
    add(1, r, next / rr, p);
    rr = next;
  }
  return most;
}

/// BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 1992): products with p and with s.
inline int bicgstab(const Product& product, const Vector& b, Vector& x, double tolerance,
                    int most) {
  const std::size_t n = b.size();
  Vector r = b, shadow = b, p(n, 0), v(n, 0), t(n);
  double rho = 1, alpha = 1, omega = 1;
  const double end = tolerance * norm(b);
  for (int step = 1; step <= most; ++step) {
    const double next = dot(shadow, r), beta = next / rho * alpha / omega;
    rho = next;
    add(-omega, v, 1, p);
    add(1, r, beta, p);
    product(1, p.data(), 0, v.data());
    alpha = rho / dot(shadow, v);
    add(-alpha, v, 1, r);  // s, in r's place
    product(1, r.data(), 0, t.data());
    omega = dot(t, r) / dot(t, t);
    add(alpha, p, 1, x);
    add(omega, r, 1, x);
    add(-omega, t, 1, r);
    if (norm(r) <= end) return step;
  }
  return most;
}

/// Restarted GMRES (Saad, Schultz, SIAM J. Sci. Stat. Comput. 1986): a new basis vector each step.
inline int gmres(const Product& product, const Vector& b, Vector& x, double tolerance, int most,
                 int restart = 30) {
  const std::size_t n = b.size(), m = static_cast<std::size_t>(restart);
  std::vector<Vector> basis(m + 1, Vector(n)), h(m, Vector(m + 1, 0));
  Vector cosine(m), sine(m), g(m + 1), y(m);
  const double end = tolerance * norm(b);
  int step = 0;
  while (step < most) {
    basis[0] = b;
    product(-1, x.data(), 1, basis[0].data());  // the residual
    const double first = norm(basis[0]);
    if (first <= end) return step;
    scale(1 / first, basis[0]);
    std::fill(g.begin(), g.end(), 0);
    g[0] = first;
    std::size_t k = 0;
    for (bool done = false; k < m && !done && step < most; ++k, ++step) {
      Vector& w = basis[k + 1];
      product(1, basis[k].data(), 0, w.data());
      for (std::size_t i = 0; i <= k; ++i) {
        h[k][i] = dot(w, basis[i]);
        add(-h[k][i], basis[i], 1, w);
      }
      h[k][k + 1] = norm(w);
      scale(1 / h[k][k + 1], w);
      for (std::size_t i = 0; i < k; ++i) {
        const double low = h[k][i], high = h[k][i + 1];
        h[k][i] = cosine[i] * low + sine[i] * high;
        h[k][i + 1] = cosine[i] * high - sine[i] * low;
      }
      const double length = std::hypot(h[k][k], h[k][k + 1]);
      cosine[k] = h[k][k] / length;
      sine[k] = h[k][k + 1] / length;
      h[k][k] = length;
      g[k + 1] = -sine[k] * g[k];
      g[k] *= cosine[k];
      done = std::abs(g[k + 1]) <= end;
    }
    for (std::size_t i = k; i-- > 0;) {
      y[i] = g[i];
      for (std::size_t j = i + 1; j < k; ++j) y[i] -= h[j][i] * y[j];
      y[i] /= h[i][i];
      add(y[i], basis[i], 1, x);
    }
    if (std::abs(g[k]) <= end) return step;
  }
  return step;
}

/// A grid of n x n points inside a square, with its operator: the 5-point Laplacian, 4 on the
/// diagonal. n = 2^k - 1; the next coarser grid has every second point.
struct Grid {
  std::ptrdiff_t n;
  Product product;
  Vector x, b, r;
};

/// r, weighted, to the right-hand side of the coarser grid (of spacing 2 h: 4 times as large).
inline void restrict_to(const Grid& fine, Grid& coarse) {
  const std::ptrdiff_t n = fine.n;
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < coarse.n; ++i)
    for (std::ptrdiff_t j = 0; j < coarse.n; ++j) {
      const double* const at = fine.r.data() + (2 * i + 1) * n + 2 * j + 1;
      coarse.b[i * coarse.n + j] = at[0] + (at[-1] + at[1] + at[-n] + at[n]) / 2 +
                                   (at[-n - 1] + at[-n + 1] + at[n - 1] + at[n + 1]) / 4;
    }
}

/// Adds the coarser grid's solution, bilinear between its points.
inline void prolong_from(const Grid& coarse, Grid& fine) {
  const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    const bool inside = i >= 0 && j >= 0 && i < coarse.n && j < coarse.n;
    return inside ? coarse.x[i * coarse.n + j] : 0;
  };
#pragma omp parallel for
  for (std::ptrdiff_t i = 0; i < fine.n; ++i)
    for (std::ptrdiff_t j = 0; j < fine.n; ++j) {
      const std::ptrdiff_t up = (i + 1) / 2 - 1, down = i / 2, left = (j + 1) / 2 - 1,
                           right = j / 2;
      fine.x[i * fine.n + j] +=
          (at(up, left) + at(up, right) + at(down, left) + at(down, right)) / 4;
    }
}

/// r = b - A x, then so many sweeps of damped Jacobi.
inline void smooth(Grid& grid, int sweeps) {
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    grid.r = grid.b;
    grid.product(-1, grid.x.data(), 1, grid.r.data());
    add(0.8 / 4, grid.r, 1, grid.x);
  }
}

inline void v_cycle(std::vector<Grid>& grids, std::size_t level = 0) {
  Grid& grid = grids[level];
  if (level + 1 == grids.size()) return smooth(grid, 20);
  smooth(grid, 2);
  grid.r = grid.b;
  grid.product(-1, grid.x.data(), 1, grid.r.data());
  Grid& coarse = grids[level + 1];
  restrict_to(grid, coarse);
  std::fill(coarse.x.begin(), coarse.x.end(), 0);
  v_cycle(grids, level + 1);
  prolong_from(coarse, grid);
  smooth(grid, 2);
}

/// V cycles until the finest residual is small enough.
inline int multigrid(std::vector<Grid>& grids, double tolerance, int most) {
  Grid& finest = grids.front();
  const double end = tolerance * norm(finest.b);
  for (int cycle = 1; cycle <= most; ++cycle) {
    v_cycle(grids);
    finest.r = finest.b;
    finest.product(-1, finest.x.data(), 1, finest.r.data());
    if (norm(finest.r) <= end) return cycle;
  }
  return most;
}

}  // namespace solvers
