// Solvers with the product y = alpha A x + beta y that everybody writes first and with the exported
// one, in turns: conjugate gradients, BiCGStab, GMRES(30) and a geometric multigrid. Prints how
// much faster each got.
#include <omp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "../ratio.h"
#include "solvers.h"
#include "tuned_spmv.h"

namespace {

using solvers::Product;
using solvers::Vector;

struct Matrix {
  std::int64_t rows = 0;
  std::vector<std::int32_t> pointer{0}, column;
  std::vector<double> value;

  void put(std::int64_t j, double a) {
    column.push_back(static_cast<std::int32_t>(j));
    value.push_back(a);
  }
  void end_row() {
    pointer.push_back(static_cast<std::int32_t>(column.size()));
    ++rows;
  }
  std::int64_t entries() const { return static_cast<std::int64_t>(value.size()); }

  Product plain() const {
    return [this](double alpha, const double* x, double beta, double* y) {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (std::int32_t k = pointer[i]; k < pointer[i + 1]; ++k) sum += value[k] * x[column[k]];
        y[i] = alpha * sum + (beta == 0 ? 0 : beta * y[i]);
      }
    };
  }
};

/// A matrix as the library keeps it: prepared once, any vectors at every call.
class Tuned {
 public:
  /// `calls` are expected.
  Tuned(const Matrix& a, double calls)
      : problem_(tuned_spmv_prepare_for(calls, 0, a.rows, a.rows, a.entries(), a.pointer.data(),
                                        a.column.data(), a.value.data(), nullptr, nullptr)) {
    require(problem_ ? 0 : -1);
  }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;
  ~Tuned() { tuned_spmv_free(problem_); }
  Product product() const {
    return [this](double alpha, const double* x, double beta, double* y) {
      require(tuned_spmv_multiply(problem_, alpha, x, beta, y));
    };
  }
  /// Other values at the same places.
  void update(const Vector& value) const { require(tuned_spmv_update(problem_, value.data())); }
  const char* variant() const { return tuned_spmv_variant(problem_); }

 private:
  static void require(int code) {
    if (code == 0) return;
    std::fprintf(stderr, "%s\n", tuned_spmv_error());
    std::exit(2);
  }
  tuned_spmv* problem_;
};

/// The 7-point operator of -div grad + wind grad on an n^3 grid, upwind; symmetric without wind.
Matrix flow(std::int64_t n, double wind) {
  Matrix a;
  for (std::int64_t z = 0; z < n; ++z)
    for (std::int64_t y = 0; y < n; ++y)
      for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t i = (z * n + y) * n + x;
        if (z > 0) a.put(i - n * n, -1 - wind);
        if (y > 0) a.put(i - n, -1 - wind);
        if (x > 0) a.put(i - 1, -1 - wind);
        a.put(i, 6 + 3 * wind);
        if (x + 1 < n) a.put(i + 1, -1);
        if (y + 1 < n) a.put(i + n, -1);
        if (z + 1 < n) a.put(i + n * n, -1);
        a.end_row();
      }
  return a;
}

/// The 5-point operator on n x n points.
Matrix plane(std::int64_t n) {
  Matrix a;
  for (std::int64_t y = 0; y < n; ++y)
    for (std::int64_t x = 0; x < n; ++x) {
      const std::int64_t i = y * n + x;
      if (y > 0) a.put(i - n, -1);
      if (x > 0) a.put(i - 1, -1);
      a.put(i, 4);
      if (x + 1 < n) a.put(i + 1, -1);
      if (y + 1 < n) a.put(i + n, -1);
      a.end_row();
    }
  return a;
}

struct Solved {
  int steps;
  double seconds, residual;
};

/// From zero towards A x = 1; `solve(product, b, x)` gives the number of steps.
template <class Solve>
Solved solved(const Matrix& a, const Product& product, const Solve& solve) {
  const std::size_t n = static_cast<std::size_t>(a.rows);
  Vector b(n, 1), x(n, 0);
  const double begin = now();
  const int steps = solve(product, b, x);
  const double seconds = now() - begin;
  // The true residual, whatever the solver believes.
  a.plain()(-1, x.data(), 1, b.data());
  return {steps, seconds, solvers::norm(b) / std::sqrt(static_cast<double>(n))};
}

constexpr double tolerance = 1e-8;

/// Prints a line. False: one of them did not solve it.
template <class Solve>
bool compare(const char* name, const Matrix& a, const Product& before, const Product& after,
             const char* variant, int rounds, const Solve& solve) {
  std::vector<double> ratios;
  Solved plain{}, tuned{};
  for (int round = 0; round < rounds; ++round) {
    plain = solved(a, before, solve);
    tuned = solved(a, after, solve);
    ratios.push_back(plain.seconds / tuned.seconds);
  }
  std::printf("%-9s %s faster with %s: %d and %d steps, residuals %.1e and %.1e\n", name,
              ratio_text(ratios).c_str(), variant, plain.steps, tuned.steps, plain.residual,
              tuned.residual);
  return plain.residual < 3 * tolerance && tuned.residual < 3 * tolerance;
}

/// With a product for each grid.
template <class MakeProduct>
std::vector<solvers::Grid> grids(const std::vector<std::unique_ptr<Matrix>>& matrices,
                                 const MakeProduct& product) {
  std::vector<solvers::Grid> all;
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const std::size_t rows = static_cast<std::size_t>(matrices[k]->rows);
    all.push_back({static_cast<std::ptrdiff_t>(std::lround(std::sqrt(rows))), product(k),
                   Vector(rows, 0), Vector(rows, 0), Vector(rows, 0)});
  }
  return all;
}

bool compare_multigrid(std::int64_t n, int rounds) {
  std::vector<std::unique_ptr<Matrix>> matrices;
  std::vector<std::unique_ptr<Tuned>> tuned;
  for (; n >= 3; n = (n - 1) / 2) {
    matrices.push_back(std::make_unique<Matrix>(plane(n)));
    tuned.push_back(std::make_unique<Tuned>(*matrices.back(), 0));
  }
  auto before = grids(matrices, [&](std::size_t k) { return matrices[k]->plain(); });
  auto after = grids(matrices, [&](std::size_t k) { return tuned[k]->product(); });
  const auto cycle = [](std::vector<solvers::Grid>& all) {
    return [&all](const Product&, const Vector& b, Vector& x) {
      all.front().b = b;
      std::fill(all.front().x.begin(), all.front().x.end(), 0);
      const int cycles = solvers::multigrid(all, tolerance, 50);
      x = all.front().x;
      return cycles;
    };
  };
  std::vector<double> ratios;
  Solved plain{}, fast{};
  for (int round = 0; round < rounds; ++round) {
    plain = solved(*matrices.front(), {}, cycle(before));
    fast = solved(*matrices.front(), {}, cycle(after));
    ratios.push_back(plain.seconds / fast.seconds);
  }
  std::printf("%-9s %s faster with %s: %d and %d cycles, residuals %.1e and %.1e\n", "multigrid",
              ratio_text(ratios).c_str(), tuned.front()->variant(), plain.steps, fast.steps,
              plain.residual, fast.residual);
  return plain.residual < 3 * tolerance && fast.residual < 3 * tolerance;
}

}  // namespace

int main(int count, char** words) {
  const int n = count > 1 ? std::atoi(words[1]) : 60, rounds = count > 2 ? std::atoi(words[2]) : 15;
  bool right = true;
  {
    Matrix a = flow(n, 0);
    const Tuned tuned(a, 200);
    const auto cg = [](const Product& product, const Vector& b, Vector& x) {
      return solvers::cg(product, b, x, tolerance, 1000);
    };
    right = compare("CG", a, a.plain(), tuned.product(), tuned.variant(), rounds, cg) && right;
    // The next step in time: other values, no preparation.
    Vector next = a.value;
    for (double& one : next) one *= 1.25;
    tuned.update(next);
    a.value.swap(next);
    right = compare("CG, later", a, a.plain(), tuned.product(), tuned.variant(), 1, cg) && right;
  }
  const Matrix a = flow(n, 0.5);
  const Tuned tuned(a, 0);
  right = compare("BiCGStab", a, a.plain(), tuned.product(), tuned.variant(), rounds,
                  [](const Product& product, const Vector& b, Vector& x) {
                    return solvers::bicgstab(product, b, x, tolerance, 1000);
                  }) &&
          right;
  right = compare("GMRES(30)", a, a.plain(), tuned.product(), tuned.variant(), rounds,
                  [](const Product& product, const Vector& b, Vector& x) {
                    return solvers::gmres(product, b, x, tolerance, 1000);
                  }) &&
          right;
  // 2^k - 1 points, about as many as the others have.
  std::int64_t side = 3;
  while ((2 * side + 1) * (2 * side + 1) <= a.rows) side = 2 * side + 1;
  return compare_multigrid(side, rounds) && right ? 0 : 1;
}
