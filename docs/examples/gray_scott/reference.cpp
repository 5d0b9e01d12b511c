// A step of the Gray-Scott model, plainly.
#include <cstdint>

void gray_scott(std::int64_t n, double du, double dv, double f, double k, const double* u,
                const double* v, double* un, double* vn) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t at = i * n + j;
      const std::int64_t up = (i + n - 1) % n * n + j, down = (i + 1) % n * n + j;
      const std::int64_t left = i * n + (j + n - 1) % n, right = i * n + (j + 1) % n;
      const double uvv = u[at] * v[at] * v[at];
      un[at] =
          u[at] + du * (u[up] + u[down] + u[left] + u[right] - 4 * u[at]) - uvv + f * (1 - u[at]);
      vn[at] =
          v[at] + dv * (v[up] + v[down] + v[left] + v[right] - 4 * v[at]) + uvv - (f + k) * v[at];
    }
}
