// The reference of Sigma-GPP against an independent implementation's sums, against data whose sums
// are known exactly, and against the symmetries of the sums.
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "built_function.h"
#include "gpp_problem.h"
#include "kernel/kernel.h"

using namespace rooftune::testing;

namespace {

using Complex = std::complex<double>;

Complex asx(const std::vector<double>& sigma, std::size_t w) {
  return {sigma[4 * w], sigma[4 * w + 1]};
}
Complex ach(const std::vector<double>& sigma, std::size_t w) {
  return {sigma[4 * w + 2], sigma[4 * w + 3]};
}

/// Order of the elements reversed, `width` doubles each, in rows of `length` of them.
std::vector<double> reversed(std::vector<double> data, std::int64_t length, std::int64_t width) {
  const std::size_t row = static_cast<std::size_t>(length * width);
  std::vector<double> result(data.size());
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::size_t in_row = k % row, width_of = static_cast<std::size_t>(width);
    const std::size_t element = static_cast<std::size_t>(length) - 1 - in_row / width_of;
    result[k / row * row + element * width_of + in_row % width_of] = data[k];
  }
  return result;
}

Sigma uniform(std::int64_t nb, std::int64_t ng, std::int64_t nc) {
  Sigma s;
  s.nb = nb;
  s.ng = ng;
  s.nc = nc;
  s.nw = 3;
  const auto pairs = [](std::int64_t count) {
    return std::vector<double>(static_cast<std::size_t>(2 * count), 0.5);
  };
  s.arrays = {{"wtilde", pairs(ng * nc)},
              {"i_eps", pairs(ng * nc)},
              {"aqsn", pairs(nb * nc)},
              {"aqsm", pairs(nb * ng)},
              {"vcoul", std::vector<double>(static_cast<std::size_t>(ng), 1.0)},
              {"occ", std::vector<double>(static_cast<std::size_t>(nb), 0.0)}};
  for (std::int64_t n = 0; n < nb; ++n)
    for (const double x : {3.0, 4.0, 5.0}) s.arrays["wx"].push_back(x);
  return s;
}

/// The reference as the worker builds it: the tests themselves are not optimised.
std::vector<double> fast_reference(Sigma& s) {
  static const BuiltFunction built(
      rooftune::find_kernel("gpp", std::filesystem::path(ROOFTUNE_SOURCE_DIR)));
  std::vector<double> sigma(static_cast<std::size_t>(4 * s.nw), NAN);
  void* arguments[] = {&s.nb,
                       &s.ng,
                       &s.nc,
                       &s.nw,
                       s["wtilde"].data(),
                       s["i_eps"].data(),
                       s["aqsn"].data(),
                       s["aqsm"].data(),
                       s["vcoul"].data(),
                       s["occ"].data(),
                       s["wx"].data(),
                       sigma.data()};
  built.call(arguments);
  return sigma;
}

struct Line {
  std::int64_t sizes[5];  ///< nb, ngpown, ncouls, nw, nvband
  std::vector<double> sigma;
};

/// Sizes, then the sums of an independent program; its second summation order is left out.
std::vector<Line> published(const std::string& path) {
  std::vector<Line> result;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    long s[5];
    double x[4];
    int w = 0;
    if (std::sscanf(text.c_str(), "%ld %ld %ld %ld %ld", s, s + 1, s + 2, s + 3, s + 4) == 5)
      result.push_back({{s[0], s[1], s[2], s[3], s[4]}, {}});
    else if (std::sscanf(text.c_str(), "iw=%d asx=(%lf,%lf) ach=(%lf,%lf)", &w, x, x + 1, x + 2,
                         x + 3) == 5 &&
             result.back().sigma.size() == 4 * static_cast<std::size_t>(w - 1))
      result.back().sigma.insert(result.back().sigma.end(), x, x + 4);
  }
  return result;
}

}  // namespace

TEST_CASE("sums of an independent implementation, energies 1 and 2 of a small case") {
  const Loaded small = load(16, 32, 256, 2, 4);
  const std::vector<double> wanted = {-3.400413073874593,  25.39194413995352,  23.09567773207914,
                                      -208.9271291838822,  -5.077016325165932, 55.67073873353254,
                                      -0.3273441831982676, -157.2884687960056};
  CHECK(difference(small.sigma.reference(), wanted, small.scale) < 1e-15);
  CHECK(small.facts.at("near_share") == Approx(0.0490).margin(5e-5));
  CHECK(small.facts.at("cut_share") == Approx(0.0283).margin(5e-5));
}

TEST_CASE("sums of an independent implementation at all sizes at hand") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const std::vector<Line> lines =
      published(std::string(data) + "/reference/gpp_full_reference.txt");
  REQUIRE(lines.size() == 2);
  for (const Line& line : lines) {
    const auto& s = line.sizes;
    INFO(s[0] << " " << s[1] << " " << s[2] << " " << s[3] << " " << s[4]);
    Loaded problem = load(s[0], s[1], s[2], s[3], s[4]);
    REQUIRE(line.sigma.size() == static_cast<std::size_t>(4 * s[3]));
    CHECK(difference(fast_reference(problem.sigma), line.sigma, problem.scale) < 1e-15);
  }
}

TEST_CASE("the public mini-app's data: every term is the same, the sum is known exactly") {
  // Terms of ach at x = 3, 4, 5 with all complex numbers (1 + i)/2: from the formula by hand,
  // M = 1/2, e t = i/2, conj(d)/|d|^2 = (x - 1/2 + i/2)/((x - 1/2)^2 + 1/4).
  const Complex term[3] = {{-1.0 / 104, 5.0 / 104}, {-0.005, 0.035}, {-1.0 / 328, 9.0 / 328}};
  const std::int64_t sizes[2][3] = {{512, 25, 512}, {16, 7, 129}};
  for (const auto& size : sizes) {
    Sigma data = uniform(size[0], size[1], size[2]);
    const std::vector<double> sigma = fast_reference(data);
    const double count = static_cast<double>(size[0] * size[1] * size[2]);
    for (std::size_t w = 0; w < 3; ++w) {
      CHECK(std::abs(ach(sigma, w) - count * term[w]) < 1e-12 * count * std::abs(term[w]));
      CHECK(asx(sigma, w) == Complex(0, 0));
    }
    if (size[0] == 512) {
      CHECK(sigma[2] == Approx(-63015.384615).margin(1e-6));
      CHECK(sigma[3] == Approx(315076.923077).margin(1e-6));
    }
  }
}

TEST_CASE("one cell by hand: far, near, cut off, without weight") {
  Sigma s = uniform(1, 1, 1);
  s.nw = 1;
  s["occ"] = {1};
  s["i_eps"] = {2, 0};
  s["aqsn"] = s["aqsm"] = {1, 0};
  const auto sums = [&](Complex t, double x) {
    s["wtilde"] = {t.real(), t.imag()};
    s["wx"] = {x};
    const std::vector<double> sigma = s.reference();
    return std::pair{asx(sigma, 0), ach(sigma, 0)};
  };
  SECTION("far: t = 1, x = 3: sch = t/(x - t) e = 1, ssx = t^2 e/(x^2 - t^2) = 1/4") {
    const auto [x, h] = sums(1, 3);
    CHECK(std::abs(x + 0.25) < 1e-15);
    CHECK(std::abs(h - 0.5) < 1e-15);
  }
  SECTION("near: t = 1, x = 1.25: ssx = -e t/(x + t)/2 = -4/9") {
    const auto [x, h] = sums(1, 1.25);
    CHECK(std::abs(x - 4.0 / 9) < 1e-15);
    CHECK(h == Complex(0, 0));
  }
  SECTION("cut off: t = 2, x = -2.1: |ssx| = 4 e/0.41 is above 4 e") {
    const auto [x, h] = sums(2, -2.1);
    CHECK(x == Complex(0, 0));
    CHECK(std::abs(h - 2.0 / -4.1) < 1e-15);
  }
  SECTION("neither far nor of weight: both vanish") {
    const auto [x, h] = sums(1e-8, 0.1);
    CHECK(x == Complex(0, 0));
    CHECK(h == Complex(0, 0));
  }
}

TEST_CASE("sums do not depend on the order of bands, G' or G") {
  Loaded problem = load(6, 7, 33, 2, 3);
  const std::vector<double> wanted = problem.sigma.reference();
  Sigma& s = problem.sigma;
  SECTION("G") {
    for (const char* name : {"wtilde", "i_eps", "aqsn"}) s[name] = reversed(s[name], s.nc, 2);
  }
  SECTION("G'") {
    for (const char* name : {"wtilde", "i_eps"}) s[name] = reversed(s[name], s.ng, 2 * s.nc);
    s["aqsm"] = reversed(s["aqsm"], s.ng, 2);
    s["vcoul"] = reversed(s["vcoul"], s.ng, 1);
  }
  SECTION("bands") {
    s["aqsn"] = reversed(s["aqsn"], s.nb, 2 * s.nc);
    s["aqsm"] = reversed(s["aqsm"], s.nb, 2 * s.ng);
    s["occ"] = reversed(s["occ"], s.nb, 1);
    s["wx"] = reversed(s["wx"], s.nb, s.nw);
  }
  CHECK(difference(s.reference(), wanted, problem.scale) < 1e-15);
}

TEST_CASE("ach is linear in I_eps, both sums in aqsn, and without electrons there is none") {
  Loaded problem = load(5, 6, 40, 2, 3);
  Sigma& s = problem.sigma;
  std::vector<double> wanted = s.reference();
  SECTION("I_eps times -2") {
    // Both sums: the cutoff is relative to I_eps.
    for (double& x : s["i_eps"]) x *= -2;
    for (double& x : wanted) x *= -2;
  }
  SECTION("aqsn times 4") {
    for (double& x : s["aqsn"]) x *= 4;
    for (double& x : wanted) x *= 4;
  }
  SECTION("no electrons") {
    for (double& x : s["occ"]) x = 0;
    for (std::size_t w = 0; w < 2; ++w) wanted[4 * w] = wanted[4 * w + 1] = 0;
  }
  CHECK(difference(s.reference(), wanted, problem.scale) < 1e-15);
}

TEST_CASE("the sums of two halves of the bands add up to the whole") {
  const Loaded problem = load(8, 5, 31, 3, 3);
  const std::vector<double> wanted = problem.sigma.reference();
  std::vector<double> sum(wanted.size(), 0.0);
  for (int half = 0; half < 2; ++half) {
    Sigma part = problem.sigma;
    part.nb = 4;
    for (const char* name : {"aqsn", "aqsm", "occ", "wx"}) {
      std::vector<double>& array = part[name];
      const auto middle = array.begin() + static_cast<std::ptrdiff_t>(array.size() / 2);
      array = half == 0 ? std::vector<double>(array.begin(), middle)
                        : std::vector<double>(middle, array.end());
    }
    const std::vector<double> sigma = part.reference();
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += sigma[k];
  }
  CHECK(difference(sum, wanted, problem.scale) < 1e-15);
}
