// The reference of hor_visc against physics: motions without strain, decay of shear flow, momentum,
// energy, symmetry, scaling.
#include <catch2/catch.hpp>

#include "sea.h"

using namespace rooftune::testing;
using namespace hor_visc_kernel;

namespace {

const Parameters constant_viscosity = {{"smagorinsky", "0"}, {"smagorinsky_biharmonic", "0"}};

Parameters with(Parameters a, const Parameters& b) {
  a.insert(b.begin(), b.end());
  return a;
}

/// Largest acceleration over viscosity x velocity / spacing^2: 1 would be a strained flow.
double strained(Sea& s) {
  s.solve();
  const double idx = s.m(idx_u, 0, 0), velocity = std::max(largest(s.u), largest(s.v));
  const double scale = velocity * idx * idx * (s.kh + s.ah * idx * idx);
  return std::max(largest(s.du), largest(s.dv)) / scale;
}

double layer_mean_h_u(const Sea& s, std::int64_t i, std::int64_t j, std::int64_t k) {
  return (s.h[s.at(i, j, k)] + s.h[s.at(i + 1, j, k)]) / 2;
}
double layer_mean_h_v(const Sea& s, std::int64_t i, std::int64_t j, std::int64_t k) {
  return (s.h[s.at(i, j, k)] + s.h[s.at(i, j + 1, k)]) / 2;
}

/// Power that viscosity adds to the flow, and the sum of its parts' magnitudes.
struct Power {
  double sum = 0, magnitude = 0;
  void add(double x) {
    sum += x;
    magnitude += std::abs(x);
  }
};
Power power(const Sea& s) {
  Power p;
  for (std::int64_t k = 0; k < s.nz; ++k)
    for (std::int64_t j = 0; j < s.ny; ++j)
      for (std::int64_t i = 0; i < s.nx; ++i) {
        if (s.m(iarea_u, i, j) > 0)
          p.add(layer_mean_h_u(s, i, j, k) * s.u[s.at(i, j, k)] * s.du[s.inner(i, j, k)] /
                s.m(iarea_u, i, j));
        if (s.m(iarea_v, i, j) > 0)
          p.add(layer_mean_h_v(s, i, j, k) * s.v[s.at(i, j, k)] * s.dv[s.inner(i, j, k)] /
                s.m(iarea_v, i, j));
      }
  return p;
}

double tension_of(const Sea& s, std::int64_t i, std::int64_t j, std::int64_t k) {
  return s.m(dy_dx_t, i, j) * (s.m(idy_u, i, j) * s.u[s.at(i, j, k)] -
                               s.m(idy_u, i - 1, j) * s.u[s.at(i - 1, j, k)]) -
         s.m(dx_dy_t, i, j) * (s.m(idx_v, i, j) * s.v[s.at(i, j, k)] -
                               s.m(idx_v, i, j - 1) * s.v[s.at(i, j - 1, k)]);
}
double shear_of(const Sea& s, std::int64_t i, std::int64_t j, std::int64_t k) {
  return s.m(mask_q, i, j) * (s.m(dy_dx_q, i, j) * (s.m(idy_v, i + 1, j) * s.v[s.at(i + 1, j, k)] -
                                                    s.m(idy_v, i, j) * s.v[s.at(i, j, k)]) +
                              s.m(dx_dy_q, i, j) * (s.m(idx_u, i, j + 1) * s.u[s.at(i, j + 1, k)] -
                                                    s.m(idx_u, i, j) * s.u[s.at(i, j, k)]));
}

}  // namespace

TEST_CASE("uniform flow and rigid rotation of a plane feel no viscosity") {
  Sea s(with({{"nx", "13"}, {"ny", "9"}}, {}));
  s.fill(s.u, [](auto, auto) { return 0.7; });
  s.fill(s.v, [](auto, auto) { return -0.3; });
  CHECK(strained(s) < 1e-14);
  const double dx = 1 / s.m(idx_u, 0, 0), dy = 1 / s.m(idy_u, 0, 0), omega = 1e-6;
  s.fill(s.u, [&](auto, auto j) { return -omega * dy * static_cast<double>(j); });
  s.fill(s.v, [&](auto i, auto) { return omega * dx * static_cast<double>(i); });
  CHECK(strained(s) < 1e-13);
  // The bound means something: the same flow without its second component is strained.
  s.fill(s.v, [](auto, auto) { return 0.0; });
  s.fill(s.u, [](auto i, auto j) { return i == 3 && j == 4 ? 1.0 : 0.0; });
  CHECK(strained(s) > 0.1);
}

TEST_CASE("solid-body rotation of a sphere feels no viscosity") {
  Sea s(with({{"nx", "12"}, {"ny", "10"}, {"geometry", "sphere"}}, {}));
  // u = U cos(latitude), and dx is proportional to that cosine.
  s.fill(s.u, [&](auto i, auto j) { return 1e-6 / s.m(idx_u, i, j); });
  s.fill(s.v, [](auto, auto) { return 0.0; });
  CHECK(strained(s) < 1e-13);
}

TEST_CASE("a sine of shear decays at the rate of its discrete wave number") {
  Sea s(with({{"nx", "6"}, {"ny", "24"}}, constant_viscosity));
  const double pi = std::acos(-1.0), wave = 2 * pi * 3 / 24, dy = 1 / s.m(idy_u, 0, 0);
  s.fill(s.h, [](auto, auto) { return 7.0; });
  s.fill(s.u, [&](auto, auto j) { return std::sin(wave * static_cast<double>(j)); });
  s.fill(s.v, [](auto, auto) { return 0.0; });
  const double k2 = std::pow(2 / dy * std::sin(wave / 2), 2);
  for (const double kh : {0.0, 700.0})
    for (const double ah : {0.0, 2e11}) {
      s.kh = kh;
      s.ah = ah;
      s.solve();
      for (std::int64_t j = 0; j < s.ny; ++j)
        CHECK(s.du[s.inner(2, j)] ==
              Approx(-(kh * k2 + ah * k2 * k2) * s.u[s.at(2, j)]).epsilon(1e-12).margin(1e-20));
      CHECK(largest(s.dv) < 1e-20);
    }
}

TEST_CASE("a sine of divergence decays at the rate of its discrete wave number") {
  // Along x on cells of unequal sides: tension of u alone.
  Sea s(with({{"nx", "24"}, {"ny", "5"}}, constant_viscosity));
  const double pi = std::acos(-1.0), wave = 2 * pi * 2 / 24, dx = 1 / s.m(idx_u, 0, 0);
  s.fill(s.h, [](auto, auto) { return 3.0; });
  s.fill(s.u, [&](auto i, auto) { return std::cos(wave * static_cast<double>(i)); });
  s.fill(s.v, [](auto, auto) { return 0.0; });
  s.solve();
  const double k2 = std::pow(2 / dx * std::sin(wave / 2), 2);
  for (std::int64_t i = 0; i < s.nx; ++i)
    CHECK(s.du[s.inner(i, 3)] ==
          Approx(-(s.kh * k2 + s.ah * k2 * k2) * s.u[s.at(i, 3)]).epsilon(1e-12).margin(1e-20));
}

TEST_CASE("viscosity moves momentum about and makes none") {
  // Layers of uneven thickness, doubly periodic, Smagorinsky viscosity.
  Sea s({{"nx", "22"}, {"ny", "17"}});
  s.solve();
  for (std::int64_t k = 0; k < s.nz; ++k) {
    Power x, y;
    for (std::int64_t j = 0; j < s.ny; ++j)
      for (std::int64_t i = 0; i < s.nx; ++i) {
        x.add(layer_mean_h_u(s, i, j, k) * s.du[s.inner(i, j, k)]);
        y.add(layer_mean_h_v(s, i, j, k) * s.dv[s.inner(i, j, k)]);
      }
    CHECK(std::abs(x.sum) < 1e-13 * x.magnitude);
    CHECK(std::abs(y.sum) < 1e-13 * y.magnitude);
  }
}

TEST_CASE(
    "Laplacian viscosity takes the energy that its stresses do, with coasts and on a sphere") {
  for (const char* geometry : {"plane", "sphere"}) {
    Sea s(with({{"nx", "40"}, {"ny", "36"}, {"geometry", geometry}, {"land", "islands"}},
               constant_viscosity));
    s.ah = 0;
    // Rest at the northern and southern edge, where a sphere does not meet itself.
    for (std::int64_t k = 0; k < s.nz; ++k)
      for (std::int64_t j = -2; j < s.ny + 2; ++j)
        for (std::int64_t i = -2; i < s.nx + 2; ++i)
          if (j < 3 || j > s.ny - 4) s.u[s.at(i, j, k)] = s.v[s.at(i, j, k)] = 0;
    s.fill(s.h, [](auto, auto) { return 5.0; });
    s.solve();
    double work = 0;
    for (std::int64_t k = 0; k < s.nz; ++k)
      for (std::int64_t j = 0; j < s.ny; ++j)
        for (std::int64_t i = 0; i < s.nx; ++i) {
          const double t = tension_of(s, i, j, k), q = shear_of(s, i, j, k);
          work += 5.0 * s.kh *
                  (std::sqrt(s.m(dx2_t, i, j) * s.m(dy2_t, i, j)) * t * t +
                   std::sqrt(s.m(dx2_q, i, j) * s.m(dy2_q, i, j)) * q * q);
        }
    CHECK(power(s).sum == Approx(-work).epsilon(1e-12));
  }
}

TEST_CASE("biharmonic viscosity takes energy") {
  Sea s(with({{"nx", "40"}, {"ny", "36"}, {"land", "islands"}}, constant_viscosity));
  s.kh = 0;
  s.fill(s.h, [](auto, auto) { return 5.0; });
  s.solve();
  const Power p = power(s);
  CHECK(p.sum < -0.1 * p.magnitude);
}

TEST_CASE("Smagorinsky's viscosity makes the acceleration quadratic in the flow") {
  Sea s({{"nx", "15"}, {"ny", "11"}, {"kh", "0"}, {"ah", "0"}, {"land", "islands"}});
  s.solve();
  const std::vector<double> before = s.du;
  for (double& x : s.u) x *= 2;
  for (double& x : s.v) x *= 2;
  s.solve();
  CHECK(largest(before) > 0);
  for (std::size_t n = 0; n < before.size(); ++n) CHECK(s.du[n] == 4 * before[n]);
}

TEST_CASE("a transposed ocean gives transposed accelerations") {
  Sea a({{"nx", "14"}, {"ny", "14"}, {"nz", "1"}});
  // Square cells, so that the metric is its own transpose.
  for (std::int64_t n = 0; n < a.plane(); ++n)
    for (const auto& [m, value] : std::map<Metric, double>{{idy_u, 1e-4},
                                                           {idx_u, 1e-4},
                                                           {idy_v, 1e-4},
                                                           {idx_v, 1e-4},
                                                           {iarea_u, 1e-8},
                                                           {iarea_v, 1e-8},
                                                           {dy_dx_t, 1},
                                                           {dx_dy_t, 1},
                                                           {dy_dx_q, 1},
                                                           {dx_dy_q, 1},
                                                           {dx2_t, 1e8},
                                                           {dy2_t, 1e8},
                                                           {dx2_q, 1e8},
                                                           {dy2_q, 1e8}})
      a.metric[static_cast<std::size_t>(m * a.plane() + n)] = value;
  Sea b = a;
  b.fill(b.h, [&](auto i, auto j) { return a.h[a.at(j, i)]; });
  b.fill(b.u, [&](auto i, auto j) { return a.v[a.at(j, i)]; });
  b.fill(b.v, [&](auto i, auto j) { return a.u[a.at(j, i)]; });
  a.solve();
  b.solve();
  const double scale = largest(a.du);
  for (std::int64_t j = 0; j < a.ny; ++j)
    for (std::int64_t i = 0; i < a.nx; ++i) {
      CHECK(std::abs(b.du[b.inner(i, j)] - a.dv[a.inner(j, i)]) <= 1e-14 * scale);
      CHECK(std::abs(b.dv[b.inner(i, j)] - a.du[a.inner(j, i)]) <= 1e-14 * scale);
    }
}

TEST_CASE("vanished layers leave the others and stay finite") {
  Sea s({{"nx", "12"}, {"ny", "10"}, {"nz", "3"}});
  s.solve();
  const std::vector<double> before = s.du;
  for (std::int64_t n = 0; n < s.plane(); ++n) s.h[static_cast<std::size_t>(s.plane() + n)] = 0;
  s.solve();
  CHECK(std::isfinite(largest(s.du)));
  CHECK(std::isfinite(largest(s.dv)));
  for (std::int64_t n = 0; n < s.nx * s.ny; ++n) {
    const auto first = static_cast<std::size_t>(n), third = first + s.inner(0, 0, 2);
    CHECK(s.du[first] == before[first]);
    CHECK(s.du[third] == before[third]);
  }
}

TEST_CASE("land is left alone and lets nothing through") {
  Sea s({{"nx", "44"}, {"ny", "40"}, {"land", "islands"}});
  std::int64_t open = 0;
  for (std::int64_t j = 0; j < s.ny; ++j)
    for (std::int64_t i = 0; i < s.nx; ++i) open += s.m(mask_q, i, j) > 0;
  CHECK(s.open_points == static_cast<double>(open));
  CHECK(open < s.nx * s.ny);
  s.solve();
  for (std::int64_t j = 0; j < s.ny; ++j)
    for (std::int64_t i = 0; i < s.nx; ++i) {
      if (s.m(iarea_u, i, j) == 0) {
        CHECK(s.u[s.at(i, j)] == 0);
        CHECK(s.du[s.inner(i, j)] == 0);
      }
      if (s.m(iarea_v, i, j) == 0) CHECK(s.dv[s.inner(i, j)] == 0);
    }
}

TEST_CASE("inputs repeat with their seed and across the periodic edges") {
  const Parameters chosen = {{"nx", "9"}, {"ny", "7"}, {"seed", "5"}};
  const Sea a(chosen), b(chosen), c(with({{"seed", "6"}}, chosen));
  CHECK(a.u == b.u);
  CHECK(a.h == b.h);
  CHECK(a.u != c.u);
  for (std::int64_t j = -2; j < a.ny + 2; ++j) {
    CHECK(a.u[a.at(-2, j)] == a.u[a.at(a.nx - 2, j)]);
    CHECK(a.v[a.at(a.nx + 1, j, 1)] == a.v[a.at(1, j, 1)]);
  }
}

TEST_CASE("grids that cannot be are refused before memory is asked for") {
  const auto refusal = [](const Parameters& chosen) { return refusal_of([&] { Sea s(chosen); }); };
  const Refusal none = refusal({{"nx", "0"}, {"ny", "5"}});
  CHECK(none.message == "nx is below 1");
  CHECK(none.where == "--problem nx");
  const Refusal large = refusal({{"nx", "1000000"}, {"ny", "1000000"}, {"nz", "1000"}});
  CHECK(large.message.find("the grid needs 3739") == 0);
  CHECK(large.hint == "fewer points, or a machine with more memory");
}
