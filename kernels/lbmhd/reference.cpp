// Lattice Boltzmann magnetohydrodynamics (D3Q27 momentum, 15 vectors for the magnetic field), BGK,
// periodic, serial: `steps` times stream and collide. f is [27][nz][ny][nx], g [15][3][nz][ny][nx],
// momentum and magnetic [3][nz][ny][nx]; the latter and density are what the last step found.
#include <cstdint>
#include <vector>

namespace {

const int c[27][3] = {{0, 0, 0},   {1, 0, 0},   {-1, 0, 0},   {0, 1, 0},  {0, -1, 0},  {0, 0, 1},
                      {0, 0, -1},  {1, 1, 1},   {-1, -1, -1}, {1, 1, -1}, {-1, -1, 1}, {1, -1, 1},
                      {-1, 1, -1}, {1, -1, -1}, {-1, 1, 1},   {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},
                      {-1, 1, 0},  {1, 0, 1},   {-1, 0, -1},  {1, 0, -1}, {-1, 0, 1},  {0, 1, 1},
                      {0, -1, -1}, {0, 1, -1},  {0, -1, 1}};
/// By |c|^2: weights of f, and of g, which has no velocities of length sqrt 2.
const double w[4] = {8. / 27, 2. / 27, 1. / 54, 1. / 216};
const double W[4] = {2. / 9, 1. / 9, 0, 1. / 72};

double dot(const int* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double dot(const double* a, const double* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct Site {
  double f[27], g[15][3], rho, m[3], B[3];

  void find_moments() {
    rho = 0;
    for (int a = 0; a < 3; ++a) m[a] = B[a] = 0;
    for (int i = 0; i < 27; ++i) {
      rho += f[i];
      for (int a = 0; a < 3; ++a) m[a] += c[i][a] * f[i];
    }
    for (int i = 0; i < 15; ++i)
      for (int a = 0; a < 3; ++a) B[a] += g[i][a];
  }

  void relax(double omega, double omega_m) {
    const double u[3] = {m[0] / rho, m[1] / rho, m[2] / rho};
    const double uu = dot(u, u), BB = dot(B, B);
    for (int i = 0; i < 27; ++i) {
      const double cc = c[i][0] * c[i][0] + c[i][1] * c[i][1] + c[i][2] * c[i][2];
      const double cu = dot(c[i], u), cB = dot(c[i], B);
      const double equilibrium =
          w[static_cast<int>(cc)] * (rho + 3 * rho * cu + 4.5 * rho * cu * cu - 1.5 * rho * uu +
                                     4.5 * (BB * (cc / 2 - 1. / 6) - cB * cB));
      f[i] = (1 - omega) * f[i] + omega * equilibrium;
      for (int a = 0; i < 15 && a < 3; ++a)
        g[i][a] = (1 - omega_m) * g[i][a] +
                  omega_m * W[static_cast<int>(cc)] * (B[a] + 3 * (cu * B[a] - cB * u[a]));
    }
  }
};

}  // namespace

void lbmhd(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps, double omega,
           double omega_m, double* f, double* g, double* density, double* momentum,
           double* magnetic) {
  const std::int64_t sites = nx * ny * nz;
  std::vector<double> old_f(static_cast<std::size_t>(27 * sites));
  std::vector<double> old_g(static_cast<std::size_t>(45 * sites));
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < 27 * sites; ++i) old_f[static_cast<std::size_t>(i)] = f[i];
    for (std::int64_t i = 0; i < 45 * sites; ++i) old_g[static_cast<std::size_t>(i)] = g[i];
    for (std::int64_t s = 0; s < sites; ++s) {
      const std::int64_t x = s % nx, y = s / nx % ny, z = s / nx / ny;
      Site site;
      for (int i = 0; i < 27; ++i) {
        const std::int64_t from =
            ((z - c[i][2] + nz) % nz * ny + (y - c[i][1] + ny) % ny) * nx + (x - c[i][0] + nx) % nx;
        site.f[i] = old_f[static_cast<std::size_t>(i * sites + from)];
        for (int a = 0; i < 15 && a < 3; ++a)
          site.g[i][a] = old_g[static_cast<std::size_t>((3 * i + a) * sites + from)];
      }
      site.find_moments();
      site.relax(omega, omega_m);
      for (int i = 0; i < 27; ++i) f[i * sites + s] = site.f[i];
      for (int k = 0; k < 45; ++k) g[k * sites + s] = site.g[k / 3][k % 3];
      density[s] = site.rho;
      for (int a = 0; a < 3; ++a) momentum[a * sites + s] = site.m[a];
      for (int a = 0; a < 3; ++a) magnetic[a * sites + s] = site.B[a];
    }
  }
}
