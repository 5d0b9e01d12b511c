// The reference of snap against physics: forces are the slope of the energy, add up to nothing,
// turn with the crystal and do not depend on the order of neighbours; u_j is unitary.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "../../../kernels/snap/tables.h"
#include "../../../kernels/snap/walk.h"
#include "snap_problem.h"

using namespace rooftune::testing;

namespace {

const Parameters rough = {{"cells", "2"}, {"amplitude", "0.2"}, {"twojmax", "8"}};

/// Positions as a file for a box of 2 x 2 x 2 cells, deterministic and far from a lattice.
std::vector<double> scattered() {
  std::vector<double> x;
  for (int i = 0; i < 8; ++i)
    for (int c = 0; c < 3; ++c)
      x.push_back((i >> c & 1) * 3.1 + 0.4 * std::sin(1.0 + 7 * i + 3 * c) + 0.5);
  return x;
}

Parameters at(const std::vector<double>& x, const std::string& twojmax) {
  std::ostringstream text;
  text.precision(17);
  text << "# box=6.3606\n";
  for (std::size_t i = 0; i < x.size(); i += 3)
    text << x[i] << " " << x[i + 1] << " " << x[i + 2] << "\n";
  return {{"positions", file_with(text.str())}, {"twojmax", twojmax}};
}

/// Displacements turned about an axis out of all planes of symmetry.
std::vector<double> turned(const std::vector<double>& v) {
  const double a = 0.7, b = 1.1;
  const double m[3][3] = {{std::cos(a), -std::sin(a) * std::cos(b), std::sin(a) * std::sin(b)},
                          {std::sin(a), std::cos(a) * std::cos(b), -std::cos(a) * std::sin(b)},
                          {0, std::sin(b), std::cos(b)}};
  std::vector<double> result(v.size());
  for (std::size_t i = 0; i < v.size(); i += 3)
    for (std::size_t r = 0; r < 3; ++r)
      result[i + r] = m[r][0] * v[i] + m[r][1] * v[i + 1] + m[r][2] * v[i + 2];
  return result;
}

std::vector<double> numbers(const std::string& path) {
  std::ifstream file(path);
  REQUIRE(file);
  std::vector<double> values;
  for (double x; file >> x;) values.push_back(x);
  return values;
}

}  // namespace

TEST_CASE("forces are minus the slope of the energy") {
  for (const char* twojmax : {"3", "6", "8"}) {
    INFO("2J " << twojmax);
    const std::vector<double> x = scattered();
    const Result here = reference(solved(at(x, twojmax)));
    for (const std::size_t i : {0u, 4u, 11u, 23u}) {
      const double h = 1e-4;
      std::vector<double> low = x, high = x;
      low[i] -= h;
      high[i] += h;
      const double slope = (reference(solved(at(high, twojmax))).total_energy() -
                            reference(solved(at(low, twojmax))).total_energy()) /
                           (2 * h);
      INFO("component " << i << ": force " << here.force[i] << ", slope " << slope);
      CHECK(std::abs(here.force[i] + slope) <= 1e-5 * std::max(1.0, here.largest_force()));
      CHECK(here.largest_force() > 0.01);
    }
  }
}

TEST_CASE("forces add up to nothing") {
  const Result result = reference(solved(rough));
  CHECK(result.largest_force() > 0.1);
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0;
    for (std::size_t i = c; i < result.force.size(); i += 3) sum += result.force[i];
    CHECK(std::abs(sum) <= 1e-12);
  }
}

TEST_CASE("a perfect lattice has no forces and equal energies") {
  for (const char* twojmax : {"8", "14"}) {
    INFO("2J " << twojmax);
    const Result result =
        reference(solved({{"cells", "2"}, {"amplitude", "0"}, {"twojmax", twojmax}}));
    CHECK(result.largest_force() <= 1e-12);
    for (const double e : result.energy) CHECK(e == Approx(result.energy[0]).epsilon(1e-12));
  }
}

TEST_CASE("forces turn with the crystal, energies stay") {
  MemoryProblem problem = solved(rough);
  const Result before = reference(problem);
  problem.reals["displacement"] = turned(problem.reals["displacement"]);
  const Result after = reference(problem);
  CHECK(difference(after.force, turned(before.force)) <= 1e-11);
  CHECK(difference(after.energy, before.energy) <= 1e-11);
  // Two crystals that differ have other forces: the comparison can fail.
  CHECK(difference(after.force, before.force) > 0.01);
}

TEST_CASE("a moved crystal has the same forces") {
  std::vector<double> x = scattered();
  const Result before = reference(solved(at(x, "8")));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += i % 3 == 0 ? 2.9 : -17.3;
  const Result after = reference(solved(at(x, "8")));
  CHECK(difference(after.force, before.force) <= 1e-11);
  CHECK(difference(after.energy, before.energy) <= 1e-11);
}

TEST_CASE("the order of neighbours does not matter") {
  const MemoryProblem problem = solved(rough);
  MemoryProblem shuffled = problem;
  const auto &first = problem.integers.at("first"), &neighbour = problem.integers.at("neighbour");
  std::vector<std::int32_t> now(neighbour.size());
  // Every list backwards.
  for (std::size_t i = 0; i + 1 < first.size(); ++i)
    for (std::int32_t p = first[i]; p < first[i + 1]; ++p)
      now[static_cast<std::size_t>(p)] = first[i] + first[i + 1] - 1 - p;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const auto to = static_cast<std::size_t>(now[p]);
    shuffled.integers["neighbour"][to] = neighbour[p];
    shuffled.integers["mirror"][to] =
        now[static_cast<std::size_t>(problem.integers.at("mirror")[p])];
    for (std::size_t c = 0; c < 3; ++c)
      shuffled.reals["displacement"][3 * to + c] = problem.reals.at("displacement")[3 * p + c];
  }
  const Result a = reference(problem), b = reference(shuffled);
  CHECK(difference(a.force, b.force) <= 1e-11);
  CHECK(difference(a.energy, b.energy) <= 1e-11);
}

TEST_CASE("Clebsch-Gordan coefficients are orthonormal") {
  for (const auto& [j1, j2] : {std::pair{3, 2}, {8, 8}, {14, 9}, {14, 14}})
    for (int m = 0; m <= j1 + j2; ++m)
      for (int j = j1 - j2; j <= j1 + j2; j += 2)
        for (int other = j1 - j2; other <= j1 + j2; other += 2) {
          const int least = std::max(j, other) - std::abs(2 * m - j1 - j2);
          double sum = 0;
          const snap_kernel::Span span(j1, j2, m);
          for (int m1 = span.low; m1 <= span.high; ++m1)
            sum += snap_kernel::clebsch_gordan(j1, m1, j2, m - m1, j) *
                   snap_kernel::clebsch_gordan(j1, m1, j2, m - m1, other);
          const bool exists = std::min(j, other) >= std::abs(2 * m - j1 - j2) && least >= 0;
          CHECK(std::abs(sum - (j == other && exists ? 1 : 0)) <= 1e-8);
        }
}

TEST_CASE("rows of u_j have length 1 and stand at right angles") {
  using namespace snap_kernel;
  const double a = 0.4, b = -0.5, c = 0.6;
  const Bond<double> q{a, b, c, std::sqrt(1 - a * a - b * b - c * c), 1};
  Tables tables;
  const std::vector<double> beta(300, 1.0);
  tables.build(14, beta.data(), false, false);
  std::map<std::pair<int, int>, Row<double>> rows;
  const Raiser<true, double> raise{q, nullptr, {tables.root.data()}};
  walk_layers<double, 1>(14, raise, [&](int j, int mb, const Strand<double, 1>& s) {
    rows[{j, mb}] = s.row[0];
  });
  for (const auto& [place, row] : rows)
    for (int mb = 0; 2 * mb <= place.first; ++mb) {
      const Row<double>& other = rows.at({place.first, mb});
      double re = 0, im = 0;
      for (int ma = 0; ma <= place.first; ++ma) {
        re += row.re[ma] * other.re[ma] + row.im[ma] * other.im[ma];
        im += row.im[ma] * other.re[ma] - row.re[ma] * other.im[ma];
      }
      INFO("j " << place.first << ", rows " << place.second << " and " << mb);
      CHECK(std::abs(re - (mb == place.second ? 1 : 0)) <= 1e-13);
      CHECK(std::abs(im) <= 1e-13);
    }
}

TEST_CASE("forces of 2000 atoms are those of TestSNAP, 2J = 8") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const std::string folder = std::string(data) + "/reference/";
  const MemoryProblem problem = solved({{"positions", folder + "testsnap_2J8_2000_pos.txt"},
                                        {"coefficients", folder + "snap_coefficients_2J8.txt"}});
  const Result result = reference(problem);
  CHECK(difference(result.force, numbers(folder + "testsnap_2J8_2000_forces.txt")) <= 1e-12);
  // The published coefficients came along.
  CHECK(solved({{"cells", "1"}}).reals.at("beta") == problem.reals.at("beta"));
}
