// Three-dimensional diffusion with the 7-point stencil, serial: per step every inner point becomes
// alpha u + beta (its six neighbours). The caller provides nx ny nz elements, x fastest; the
// outermost layer on each side is boundary values and stays as it is.
#include <cstdint>
#include <vector>

void diffusion3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                 double alpha, double beta, double* u) {
  std::vector<double> old(static_cast<std::size_t>(nx * ny * nz));
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < old.size(); ++i) old[i] = u[i];
    const double* const o = old.data();
    for (std::int64_t z = 1; z < nz - 1; ++z)
      for (std::int64_t y = 1; y < ny - 1; ++y)
        for (std::int64_t x = 1; x < nx - 1; ++x) {
          const std::int64_t i = (z * ny + y) * nx + x;
          u[i] = alpha * o[i] + beta * (o[i - 1] + o[i + 1] + o[i - nx] + o[i + nx] +
                                        o[i - nx * ny] + o[i + nx * ny]);
        }
  }
}
