// The references of the stencil kernels against what mathematics says: exact arithmetic on
// integers, eigenvectors, convergence, instability, maximum principle, symmetry.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/rng.h"

void triad(std::int64_t n, double s, const double* b, const double* c, double* a);
void euler(std::int64_t n, double a, const double* x, double* y);
void finite_difference(std::int64_t n, std::int64_t shift, double a, const double* x, double* y);
void diffusion(std::int64_t n, std::int64_t steps, std::int64_t shift, double alpha, double beta,
               double* x);
void diffusion3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                 double alpha, double beta, double* u);

namespace {

using Field = std::vector<double>;
constexpr double pi = 3.14159265358979323846;

std::int64_t length(const Field& field) { return static_cast<std::int64_t>(field.size()); }

Field random_field(std::size_t n, std::uint64_t seed) {
  rooftune::Rng rng(seed, 0);
  Field field(n);
  for (double& value : field) value = rng.unit() - 0.25;
  return field;
}

/// Integers that stay exact in double arithmetic.
Field integers(std::size_t n, std::uint64_t seed) {
  rooftune::Rng rng(seed, 0);
  Field field(n);
  for (double& value : field) value = static_cast<double>(rng.below(2'000'001)) - 1e6;
  return field;
}

void diffuse(Field& x, double a, std::int64_t steps, std::int64_t shift = 1) {
  diffusion(length(x), steps, shift, 1 - 2 * a, a, x.data());
}

/// k half waves between zero ends: an eigenvector of the step.
Field sine(std::size_t n, int k) {
  Field x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = std::sin(pi * k * static_cast<double>(i) / static_cast<double>(n - 1));
  x[0] = x[n - 1] = 0;
  return x;
}

/// Its factor per step: 1 - 4 a sin^2(pi k / (2 (n-1))).
double factor(std::size_t n, int k, double a) {
  const double s = std::sin(pi * k / (2 * static_cast<double>(n - 1)));
  return 1 - 4 * a * s * s;
}

double largest(const Field& field) {
  double result = 0;
  for (const double value : field) result = std::max(result, std::abs(value));
  return result;
}

struct Extent {
  std::size_t x, y, z;
  std::size_t size() const { return x * y * z; }
  std::size_t at(std::size_t i, std::size_t j, std::size_t k) const { return (k * y + j) * x + i; }
  bool inner(std::size_t i, std::size_t j, std::size_t k) const {
    return i > 0 && j > 0 && k > 0 && i + 1 < x && j + 1 < y && k + 1 < z;
  }
};

void diffuse(Field& u, const Extent& e, double a, std::int64_t steps) {
  diffusion3d(static_cast<std::int64_t>(e.x), static_cast<std::int64_t>(e.y),
              static_cast<std::int64_t>(e.z), steps, 1 - 6 * a, a, u.data());
}

Field product(const Extent& e, const Field& x, const Field& y, const Field& z) {
  Field u(e.size());
  for (std::size_t k = 0; k < e.z; ++k)
    for (std::size_t j = 0; j < e.y; ++j)
      for (std::size_t i = 0; i < e.x; ++i) u[e.at(i, j, k)] = x[i] * y[j] * z[k];
  return u;
}

}  // namespace

TEST_CASE("triad is exact on integers and carries NaN") {
  Field b = integers(101, 1), c = integers(101, 2), a(101, 0);
  c[50] = std::numeric_limits<double>::quiet_NaN();
  triad(101, 3, b.data(), c.data(), a.data());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i == 50)
      CHECK(std::isnan(a[i]));
    else
      CHECK(a[i] == static_cast<double>(static_cast<std::int64_t>(b[i]) +
                                        3 * static_cast<std::int64_t>(c[i])));
  }
}

TEST_CASE("an Euler step with a power of two is exact on integers") {
  const Field x = integers(97, 3), start = integers(97, 4);
  Field y = start;
  for (int step = 0; step < 5; ++step) euler(97, 0.0009765625, x.data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::int64_t exact =
        1024 * static_cast<std::int64_t>(start[i]) + 5 * static_cast<std::int64_t>(x[i]);
    CHECK(y[i] * 1024 == static_cast<double>(exact));
  }
}

TEST_CASE("the two-point average is exact for linear data") {
  Field x(64), y(63);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 7 - 3 * static_cast<double>(i);
  finite_difference(63, 1, 0.5, x.data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 7 - 3 * (static_cast<double>(i) + 0.5));
}

TEST_CASE("the average with a neighbour farther away is exact for linear data") {
  for (const std::int64_t shift : {2, 8, 64}) {
    Field x(static_cast<std::size_t>(100 + shift)), y(100);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 5 + 4 * static_cast<double>(i);
    finite_difference(100, shift, 0.5, x.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(y[i] == 5 + 4 * static_cast<double>(i) + 2 * static_cast<double>(shift));
  }
}

TEST_CASE("alternating sums of two-point averages telescope") {
  const Field x = integers(202, 5);
  Field y(201);
  finite_difference(201, 1, 2, x.data(), y.data());
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += i % 2 == 0 ? y[i] : -y[i];
  CHECK(sum == 2 * (x.front() + x.back()));
}

TEST_CASE("a sine decays by the exact factor of the discrete step") {
  for (const int k : {1, 2, 17, 62})
    for (const double a : {0.1, 0.25, 0.5}) {
      INFO("k = " << k << ", a = " << a);
      const Field start = sine(65, k);
      Field x = start;
      diffuse(x, a, 40);
      const double decay = std::pow(factor(65, k, a), 40);
      // Round-off of 40 steps of four operations on values up to 1.
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(std::abs(x[i] - decay * start[i]) < 4e-14);
    }
}

TEST_CASE("diffusion converges to the heat equation with second order") {
  std::vector<double> errors;
  for (const std::size_t cells : {16u, 32u, 64u}) {
    const double dx = 1 / static_cast<double>(cells), a = 0.25;
    const std::int64_t steps = static_cast<std::int64_t>(cells * cells) / 5;
    const double time = static_cast<double>(steps) * a * dx * dx;
    Field x = sine(cells + 1, 1);
    diffuse(x, a, steps);
    errors.push_back(std::abs(largest(x) - std::exp(-pi * pi * time)));
  }
  CHECK(std::log2(errors[0] / errors[1]) == Approx(2).margin(0.15));
  CHECK(std::log2(errors[1] / errors[2]) == Approx(2).margin(0.15));
}

TEST_CASE("neighbours farther away make as many independent lines") {
  for (const std::size_t shift : {2u, 8u}) {
    std::vector<Field> lines;
    Field x(shift * 33);
    for (std::size_t s = 0; s < shift; ++s) {
      lines.push_back(random_field(33, 20 + s));
      for (std::size_t i = 0; i < 33; ++i) x[i * shift + s] = lines[s][i];
    }
    diffuse(x, 0.3, 21, static_cast<std::int64_t>(shift));
    for (std::size_t s = 0; s < shift; ++s) {
      diffuse(lines[s], 0.3, 21);
      for (std::size_t i = 0; i < 33; ++i) CHECK(x[i * shift + s] == lines[s][i]);
    }
  }
}

TEST_CASE("diffusion beyond a = 1/2 grows as the highest mode does") {
  Field x = sine(34, 32);
  const double start = largest(x), growth = std::abs(factor(34, 32, 0.6));
  REQUIRE(growth > 1.3);
  diffuse(x, 0.6, 60);
  CHECK(largest(x) == Approx(start * std::pow(growth, 60)).epsilon(1e-9));
}

TEST_CASE("diffusion makes no new extremes up to a = 1/2") {
  const Field start = random_field(301, 6);
  const auto [low, high] = std::minmax_element(start.begin(), start.end());
  for (const double a : {0.0, 0.3, 0.5}) {
    Field x = start;
    diffuse(x, a, 25);
    for (const double value : x) {
      CHECK(value >= *low - 1e-15);
      CHECK(value <= *high + 1e-15);
    }
    CHECK(x.front() == start.front());
    CHECK(x.back() == start.back());
    if (a == 0) CHECK(x == start);
  }
}

TEST_CASE("constants and lines are fixed points, and mirrored input stays mirrored") {
  Field constant(50, 3), line(50), mirrored = random_field(51, 7);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = 4 * static_cast<double>(i) - 9;
  for (std::size_t i = 0; i < 25; ++i) mirrored[50 - i] = mirrored[i];
  const Field first_line = line;
  diffuse(constant, 0.25, 30);
  diffuse(line, 0.25, 30);
  diffuse(mirrored, 0.3, 30);
  CHECK(constant == Field(50, 3));
  CHECK(line == first_line);
  for (std::size_t i = 0; i < 25; ++i) CHECK(mirrored[50 - i] == mirrored[i]);
}

TEST_CASE("diffusion without inner points changes nothing") {
  for (const std::size_t n : {1u, 2u}) {
    Field x = random_field(n, 8);
    const Field start = x;
    diffuse(x, 0.25, 3);
    CHECK(x == start);
  }
}

TEST_CASE("a product of sines decays by the exact factor in three dimensions") {
  const Extent e{12, 9, 17};
  const double a = 0.15;
  const Field start = product(e, sine(e.x, 2), sine(e.y, 1), sine(e.z, 5));
  Field u = start;
  diffuse(u, e, a, 20);
  const double decay = std::pow(factor(e.x, 2, a) + factor(e.y, 1, a) + factor(e.z, 5, a) - 2, 20);
  for (std::size_t i = 0; i < u.size(); ++i) CHECK(std::abs(u[i] - decay * start[i]) < 4e-14);
}

TEST_CASE("three-dimensional diffusion converges to the heat equation with second order") {
  std::vector<double> errors;
  for (const std::size_t cells : {8u, 16u, 32u}) {
    const double dx = 1 / static_cast<double>(cells), a = 0.125;
    const std::int64_t steps = static_cast<std::int64_t>(cells * cells) / 4;
    const double time = static_cast<double>(steps) * a * dx * dx;
    const Extent e{cells + 1, cells + 1, cells + 1};
    const Field wave = sine(cells + 1, 1);
    Field u = product(e, wave, wave, wave);
    diffuse(u, e, a, steps);
    errors.push_back(std::abs(largest(u) - std::exp(-3 * pi * pi * time)));
  }
  CHECK(std::log2(errors[0] / errors[1]) == Approx(2).margin(0.15));
  CHECK(std::log2(errors[1] / errors[2]) == Approx(2).margin(0.15));
}

TEST_CASE("three-dimensional diffusion beyond a = 1/6 grows") {
  const Extent e{14, 14, 14};
  Field u = product(e, sine(14, 12), sine(14, 12), sine(14, 12));
  const double start = largest(u), growth = std::abs(3 * factor(14, 12, 0.2) - 2);
  REQUIRE(growth > 1.3);
  diffuse(u, e, 0.2, 50);
  CHECK(largest(u) == Approx(start * std::pow(growth, 50)).epsilon(1e-9));
}

TEST_CASE("three-dimensional diffusion keeps the boundary and makes no new extremes") {
  const Extent e{11, 8, 9};
  const Field start = random_field(e.size(), 9);
  const auto [low, high] = std::minmax_element(start.begin(), start.end());
  Field u = start;
  diffuse(u, e, 1.0 / 6, 12);
  std::size_t changed = 0;
  for (std::size_t k = 0; k < e.z; ++k)
    for (std::size_t j = 0; j < e.y; ++j)
      for (std::size_t i = 0; i < e.x; ++i) {
        const double value = u[e.at(i, j, k)];
        CHECK(value >= *low - 1e-15);
        CHECK(value <= *high + 1e-15);
        if (!e.inner(i, j, k)) CHECK(value == start[e.at(i, j, k)]);
        if (value != start[e.at(i, j, k)]) ++changed;
      }
  CHECK(changed == (e.x - 2) * (e.y - 2) * (e.z - 2));
}

TEST_CASE("three-dimensional diffusion treats its axes alike") {
  const Extent e{7, 10, 6}, turned{6, 7, 10};
  Field u = random_field(e.size(), 10), v(e.size());
  const auto turn = [&](auto&& move) {
    for (std::size_t k = 0; k < e.z; ++k)
      for (std::size_t j = 0; j < e.y; ++j)
        for (std::size_t i = 0; i < e.x; ++i) move(e.at(i, j, k), turned.at(k, i, j));
  };
  turn([&](std::size_t from, std::size_t to) { v[to] = u[from]; });
  diffuse(u, e, 0.125, 6);
  diffuse(v, turned, 0.125, 6);
  turn([&](std::size_t from, std::size_t to) { CHECK(std::abs(v[to] - u[from]) < 1e-15); });
}

TEST_CASE(
    "three-dimensional diffusion of a field that varies in one direction is one-dimensional") {
  const Extent e{41, 41, 41};
  const Field line = sine(41, 3);
  Field u(e.size()), x = line;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = line[i % e.x];
  diffuse(u, e, 0.125, 5);
  diffuse(x, 0.125, 5);
  // The fixed faces are felt one point farther in with every step; the middle is free of them.
  for (std::size_t i = 0; i < e.x; ++i) CHECK(std::abs(u[e.at(i, 20, 20)] - x[i]) < 1e-14);
}
