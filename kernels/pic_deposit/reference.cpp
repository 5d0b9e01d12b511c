// Charge and current of particles on a periodic grid of nodes, serial: each particle gives linear
// (order 1) or quadratic (order 2) shares of w and w v to the nodes around it.
// The caller provides positions in cells, 0 <= x < nx and so on, and rho, jx, jy, jz of nz ny nx
// nodes, x fastest.
#include <cmath>
#include <cstdint>

namespace {

/// Shares along one axis: node first + s gets share[s].
struct Shape {
  Shape(double x, std::int64_t order) {
    if (order == 1) {
      first = static_cast<std::int64_t>(std::floor(x));
      const double d = x - static_cast<double>(first);
      share[0] = 1 - d;
      share[1] = d;
    } else {
      first = static_cast<std::int64_t>(std::floor(x + 0.5)) - 1;
      const double d = x - static_cast<double>(first + 1);
      share[0] = (0.5 - d) * (0.5 - d) / 2;
      share[1] = 0.75 - d * d;
      share[2] = (0.5 + d) * (0.5 + d) / 2;
    }
  }
  std::int64_t first;
  double share[3];
};

std::int64_t periodic(std::int64_t node, std::int64_t n) { return (node % n + n) % n; }

}  // namespace

void pic_deposit(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t particles,
                 std::int64_t order, const double* x, const double* y, const double* z,
                 const double* vx, const double* vy, const double* vz, const double* w, double* rho,
                 double* jx, double* jy, double* jz) {
  for (std::int64_t n = 0; n < nx * ny * nz; ++n) rho[n] = jx[n] = jy[n] = jz[n] = 0;
  for (std::int64_t p = 0; p < particles; ++p) {
    const Shape sx(x[p], order), sy(y[p], order), sz(z[p], order);
    for (std::int64_t c = 0; c <= order; ++c)
      for (std::int64_t b = 0; b <= order; ++b)
        for (std::int64_t a = 0; a <= order; ++a) {
          const std::int64_t node =
              (periodic(sz.first + c, nz) * ny + periodic(sy.first + b, ny)) * nx +
              periodic(sx.first + a, nx);
          const double share = w[p] * sx.share[a] * sy.share[b] * sz.share[c];
          rho[node] += share;
          jx[node] += share * vx[p];
          jy[node] += share * vy[p];
          jz[node] += share * vz[p];
        }
  }
}
