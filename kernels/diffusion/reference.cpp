// One-dimensional diffusion in two stages, serial: y = alpha x + beta (x_- + x_+), then x = y, with
// the neighbours `shift` points away. The caller provides n elements in x; `shift` points at either
// end are boundary values and stay as they are.
#include <cstdint>
#include <vector>

void diffusion(std::int64_t n, std::int64_t steps, std::int64_t shift, double alpha, double beta,
               double* x) {
  std::vector<double> y(static_cast<std::size_t>(n));
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t i = shift; i < n - shift; ++i)
      y[static_cast<std::size_t>(i)] = alpha * x[i] + beta * (x[i - shift] + x[i + shift]);
    for (std::int64_t i = shift; i < n - shift; ++i) x[i] = y[static_cast<std::size_t>(i)];
  }
}
