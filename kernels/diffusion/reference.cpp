// One-dimensional diffusion, serial: per step y = alpha x_i + beta (x_{i-1} + x_{i+1}), then x <-
// y. The caller provides n elements in x; x_0 and x_{n-1} are boundary values and stay as they are.
#include <cstdint>
#include <vector>

void diffusion(std::int64_t n, std::int64_t steps, double alpha, double beta, double* x) {
  std::vector<double> y(static_cast<std::size_t>(n));
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t i = 1; i < n - 1; ++i)
      y[static_cast<std::size_t>(i)] = alpha * x[i] + beta * (x[i - 1] + x[i + 1]);
    for (std::int64_t i = 1; i < n - 1; ++i) x[i] = y[static_cast<std::size_t>(i)];
  }
}
