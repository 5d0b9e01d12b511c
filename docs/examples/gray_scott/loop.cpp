// Ten steps of the Gray-Scott model by the exported library, and by the reference.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "reference.cpp"
#include "tuned_gray_scott.h"

static void require(bool done) {
  if (done) return;
  std::fprintf(stderr, "%s\n", tuned_gray_scott_error());
  std::exit(2);
}

int main(int count, char** words) {
  const std::int64_t n = count > 1 ? std::atoll(words[1]) : 512;
  const double du = 0.16, dv = 0.08, f = 0.035, k = 0.065;
  const auto points = static_cast<std::size_t>(n * n);
  std::vector<double> u(points, 1), v(points, 0), un(points), vn(points);
  for (std::size_t i = 0; i < points; i += 3) v[i] = 0.5;
  std::vector<double> ru = u, rv = v, run = un, rvn = vn;

  tuned_gray_scott* const problem =
      tuned_gray_scott_prepare(0, n, du, dv, f, k, u.data(), v.data(), un.data(), vn.data());
  require(problem);
  for (int step = 0; step < 10; ++step) {
    require(tuned_gray_scott_run(problem, n, du, dv, f, k, u.data(), v.data(), un.data(),
                                 vn.data()) == 0);
    std::swap(u, un);
    std::swap(v, vn);
  }
  require(tuned_gray_scott_finish(problem, n, du, dv, f, k, u.data(), v.data(), un.data(),
                                  vn.data()) == 0);

  double difference = 0;
  for (int step = 0; step < 10; ++step) {
    ::gray_scott(n, du, dv, f, k, ru.data(), rv.data(), run.data(), rvn.data());
    std::swap(ru, run);
    std::swap(rv, rvn);
  }
  for (std::size_t i = 0; i < points; ++i)
    difference = std::max({difference, std::abs(u[i] - ru[i]), std::abs(v[i] - rv[i]),
                           std::abs(un[i] - run[i]), std::abs(vn[i] - rvn[i])});
  std::printf("variant %s: differs by %.1e\n", tuned_gray_scott_variant(problem), difference);
  tuned_gray_scott_free(problem);
  return difference < 1e-12 ? 0 : 1;
}
