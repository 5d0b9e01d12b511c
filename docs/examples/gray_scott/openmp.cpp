// A step of the Gray-Scott model, on the application's arrays or on arrays of the variant's own
// with u and v side by side.
#include <cstdint>
#include <map>
#include <vector>

#include "rooftune/kept.h"

constexpr bool mixed = KNOB_LAYOUT == KNOB_LAYOUT_MIXED;
constexpr std::int64_t step = mixed ? 2 : 1;
constexpr int unroll = KNOB_UNROLL;

struct State {
  std::map<const void*, std::vector<double>> own;  // in place of u and v, and of un and vn
};
static rooftune::Kept<State> kept;

void gray_scott_prepare(std::int64_t n, double, double, double, double, const double* u,
                        const double* v, double* un, double*) {
  if (!mixed) return;
  kept->own.clear();
  kept->own[un].resize(2 * n * n);
  std::vector<double>& own = kept->own[u];
  for (std::int64_t i = 0; i < n * n; ++i) own.insert(own.end(), {u[i], v[i]});
}

void gray_scott(std::int64_t n, double du, double dv, double f, double k, const double* u,
                const double* v, double* un, double* vn) {
  if (mixed) {
    u = kept->own.at(u).data();
    v = u + 1;
    un = kept->own.at(un).data();
    vn = un + 1;
  }
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t row = i * n, above = (i + n - 1) % n * n, below = (i + 1) % n * n;
#pragma GCC unroll unroll
    for (std::int64_t j = 0; j < n; ++j) {
      const std::int64_t at = step * (row + j), up = step * (above + j), down = step * (below + j);
      const std::int64_t left = step * (row + (j == 0 ? n : j) - 1);
      const std::int64_t right = step * (row + (j + 1 == n ? 0 : j + 1));
      const double uvv = u[at] * v[at] * v[at];
      un[at] =
          u[at] + du * (u[up] + u[down] + u[left] + u[right] - 4 * u[at]) - uvv + f * (1 - u[at]);
      vn[at] =
          v[at] + dv * (v[up] + v[down] + v[left] + v[right] - 4 * v[at]) + uvv - (f + k) * v[at];
    }
  }
}

void gray_scott_finish(std::int64_t n, double, double, double, double, const double*, const double*,
                       double* un, double* vn) {
  if (!mixed) return;
  const std::vector<double>& own = kept->own.at(un);
  for (std::int64_t i = 0; i < n * n; ++i) {
    un[i] = own[2 * i];
    vn[i] = own[2 * i + 1];
  }
}
