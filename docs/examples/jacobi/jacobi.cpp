// Damped Jacobi sweeps for u'' = 0 with u(0) = 0 and u(1) = 1: as everybody writes them first, by
// the exported library of diffusion, and by its untuned form, in turns. A sweep is one of its time
// steps. Looks at the residual after every few sweeps, as solvers do.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "../ratio.h"
#include "tuned_diffusion.h"

namespace {

constexpr double damping = 2.0 / 3, alpha = 1 - damping, beta = damping / 2;

using Vector = std::vector<double>;
using Sweeps = std::function<void(Vector& u, std::int64_t steps)>;

void plain_sweeps(Vector& u, std::int64_t steps) {
  static Vector next;
  next = u;
  const auto n = static_cast<std::int64_t>(u.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    const double* const old = u.data();
    double* const fresh = next.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 1; i < n - 1; ++i)
      fresh[i] = alpha * old[i] + beta * (old[i - 1] + old[i + 1]);
    std::swap(u, next);
  }
}

double residual(const Vector& u) {
  double sum = 0;
  const auto n = static_cast<std::int64_t>(u.size());
#pragma omp parallel for reduction(+ : sum)
  for (std::int64_t i = 1; i < n - 1; ++i) {
    const double r = u[i - 1] - 2 * u[i] + u[i + 1];
    sum += r * r;
  }
  return std::sqrt(sum);
}

struct Solved {
  double seconds = 0, in_sweeps = 0;
};

/// `u` holds the solution so far.
Solved solve(Vector& u, const Sweeps& sweeps, int blocks, std::int64_t steps) {
  Solved result;
  const double begin = now();
  for (int block = 0; block < blocks; ++block) {
    const double before = now();
    sweeps(u, steps);
    result.in_sweeps += now() - before;
    if (residual(u) < 1e-14) break;
  }
  result.seconds = now() - begin;
  return result;
}

/// 0: nothing is promised beyond what the arguments tell.
tuned_diffusion* prepared(std::int64_t n, std::int64_t steps, Vector& u) {
  return tuned_diffusion_prepare(0, n, steps, 1, alpha, beta, u.data());
}

}  // namespace

int main(int count, char** words) {
  const std::int64_t n = count > 1 ? std::atoll(words[1]) : 4000000, steps = 16;
  const int rounds = count > 2 ? std::atoi(words[2]) : 15, blocks = 4;
  Vector start(static_cast<std::size_t>(n), 0);
  start.back() = 1;
  std::vector<Vector> solutions(3, start);
  tuned_diffusion* const problem = prepared(n, steps, solutions[2]);
  // What the study compares with: it copies the new values back where the loop above swaps.
  setenv("TUNED_DIFFUSION_VARIANT", "baseline", 1);
  tuned_diffusion* const untuned = prepared(n, steps, solutions[1]);
  if (!problem || !untuned) return 2;
  const auto by = [&](tuned_diffusion* with) {
    return [=](Vector& u, std::int64_t) {
      if (tuned_diffusion_run(with, n, steps, 1, alpha, beta, u.data()) == 0) return;
      std::fprintf(stderr, "%s\n", tuned_diffusion_error());
      std::exit(2);
    };
  };
  const std::vector<Sweeps> ways{plain_sweeps, by(untuned), by(problem)};
  for (std::size_t i = 0; i < ways.size(); ++i) solve(solutions[i], ways[i], 1, steps);
  std::vector<double> sweeps, of_kernel, solver;
  double difference = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<Solved> took;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      solutions[i] = start;
      took.push_back(solve(solutions[i], ways[i], blocks, steps));
    }
    sweeps.push_back(took[0].in_sweeps / took[2].in_sweeps);
    of_kernel.push_back(took[1].in_sweeps / took[2].in_sweeps);
    solver.push_back(took[0].seconds / took[2].seconds);
    for (std::size_t i = 0; i < start.size(); ++i)
      difference = std::max(difference, std::abs(solutions[0][i] - solutions[2][i]));
  }
  std::printf("variant %s: sweeps %s, solver %s faster, solutions differ by %.1e\n",
              tuned_diffusion_variant(problem), ratio_text(sweeps).c_str(),
              ratio_text(solver).c_str(), difference);
  std::printf("sweeps %s faster than the untuned form of the kernel\n",
              ratio_text(of_kernel).c_str());
  tuned_diffusion_free(problem);
  tuned_diffusion_free(untuned);
  return difference < 1e-12 ? 0 : 1;
}
