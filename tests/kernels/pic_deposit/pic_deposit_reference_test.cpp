// The reference of pic_deposit against physics: total charge and current, first and second moments,
// single particles with known shares, translation, superposition; and its input.
#include <algorithm>
#include <catch2/catch.hpp>

#include "plasma.h"

using namespace rooftune::testing;

namespace {

double sum(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result += value;
  return result;
}

/// Moments of charge over the nodes along x: sum of rho (i - c)^power, with i the image of the node
/// nearest to c.
double moment(const Plasma& p, const std::vector<double>& grid, double c, int power) {
  double result = 0;
  const auto n = static_cast<double>(p.nx);
  for (std::int64_t k = 0; k < p.nz; ++k)
    for (std::int64_t j = 0; j < p.ny; ++j)
      for (std::int64_t i = 0; i < p.nx; ++i) {
        const double d = static_cast<double>(i) - c;
        result += grid[p.node(i, j, k)] * std::pow(d - n * std::round(d / n), power);
      }
  return result;
}

std::string text(std::int64_t order) { return std::to_string(order); }

}  // namespace

TEST_CASE("charge and current on the grid are those of the particles") {
  for (const std::int64_t order : {1, 2})
    for (const char* density : {"uniform", "bunch"}) {
      Plasma p(
          {{"nx", "7"}, {"ny", "5"}, {"nz", "9"}, {"order", text(order)}, {"density", density}});
      p.solve();
      double charge = 0, current[3] = {};
      for (std::size_t n = 0; n < p.of[w].size(); ++n) {
        charge += p.of[w][n];
        for (int k = 0; k < 3; ++k) current[k] += p.of[w][n] * p.of[vx + k][n];
      }
      CHECK(sum(p.grids[0]) == Approx(charge).epsilon(1e-13));
      for (int k = 0; k < 3; ++k)
        CHECK(sum(p.grids[1 + k]) == Approx(current[k]).epsilon(1e-12).margin(1e-10));
    }
}

TEST_CASE("the centre of a particle's charge is the particle, and its width that of its shape") {
  for (const std::int64_t order : {1, 2})
    for (const double at : {0.0, 0.2, 0.5, 3.75, 4.5, 8.999, 8.4}) {
      Plasma p({{"nx", "9"}, {"ny", "6"}, {"nz", "6"}, {"order", text(order)}});
      p.keep(at, 2.3, 5.9);
      p.solve();
      CHECK(sum(p.grids[0]) == Approx(7).epsilon(1e-14));
      CHECK(sum(p.grids[1]) == Approx(14).epsilon(1e-14));
      CHECK(sum(p.grids[2]) == Approx(-21).epsilon(1e-14));
      CHECK(sum(p.grids[3]) == Approx(35).epsilon(1e-14));
      CHECK(std::abs(moment(p, p.grids[0], at, 1)) < 1e-13);
      const double d = at - std::floor(at);
      // Linear: d (1 - d). Quadratic: 1/4 wherever the particle is.
      CHECK(moment(p, p.grids[0], at, 2) ==
            Approx(7 * (order == 1 ? d * (1 - d) : 0.25)).epsilon(1e-12).margin(1e-13));
    }
}

TEST_CASE("shares of a particle in the corner wrap around the box") {
  Plasma p({{"nx", "4"}, {"ny", "3"}, {"nz", "5"}});
  p.keep(3.75, 2.5, 4.25);
  p.solve();
  CHECK(p.grids[0][p.node(3, 2, 4)] == 7 * 0.25 * 0.5 * 0.75);
  CHECK(p.grids[0][p.node(0, 0, 0)] == 7 * 0.75 * 0.5 * 0.25);
  CHECK(p.grids[1][p.node(0, 2, 4)] == 2 * 7 * 0.75 * 0.5 * 0.75);
  CHECK(p.grids[0][p.node(1, 1, 1)] == 0);
  Plasma q({{"nx", "4"}, {"ny", "4"}, {"nz", "4"}, {"order", "2"}});
  q.keep(0, 1, 3.75);
  q.solve();
  // On a node: 1/8, 3/4, 1/8; a quarter before node 4 = 0: 9/32, 22/32, 1/32 from node 3 on.
  CHECK(q.grids[0][q.node(3, 1, 0)] == Approx(7 * 0.125 * 0.75 * 22 / 32.0).epsilon(1e-15));
  CHECK(q.grids[0][q.node(0, 0, 3)] == Approx(7 * 0.75 * 0.125 * 9 / 32.0).epsilon(1e-15));
  CHECK(q.grids[0][q.node(1, 2, 1)] == Approx(7 * 0.125 * 0.125 * 1 / 32.0).epsilon(1e-15));
  CHECK(q.grids[0][q.node(2, 1, 0)] == 0);
}

TEST_CASE("a box of one cell takes everything at its only node") {
  for (const std::int64_t order : {1, 2}) {
    Plasma p({{"nx", "1"}, {"ny", "1"}, {"nz", "1"}, {"per_cell", "5"}, {"order", text(order)}});
    p.solve();
    CHECK(p.grids[0][0] == Approx(sum(p.of[w])).epsilon(1e-14));
  }
}

TEST_CASE("a lattice of equal particles makes an even density") {
  for (const std::int64_t order : {1, 2}) {
    Plasma p({{"nx", "6"}, {"ny", "6"}, {"nz", "6"}, {"per_cell", "8"}, {"order", text(order)}});
    for (std::int64_t n = 0; n < p.particles; ++n) {
      const auto at = static_cast<std::size_t>(n);
      p.of[x][at] = 0.5 * static_cast<double>(n % 12) + 0.25;
      p.of[y][at] = 0.5 * static_cast<double>(n / 12 % 12) + 0.25;
      p.of[z][at] = 0.5 * static_cast<double>(n / 144) + 0.25;
      p.of[w][at] = 1;
    }
    p.solve();
    for (const double density : p.grids[0]) CHECK(density == Approx(8).epsilon(1e-14));
  }
}

TEST_CASE("particles moved by whole cells move their charge") {
  for (const std::int64_t order : {1, 2}) {
    Plasma p({{"nx", "8"}, {"ny", "4"}, {"nz", "4"}, {"order", text(order)}});
    // Exact binary fractions, so that moving does not round.
    for (double& at : p.of[x]) at = std::floor(at * 1024) / 1024;
    p.solve();
    const std::vector<double> before = p.grids[0];
    for (double& at : p.of[x]) at = at + 3 >= 8 ? at - 5 : at + 3;
    p.solve();
    for (std::int64_t k = 0; k < 4; ++k)
      for (std::int64_t j = 0; j < 4; ++j)
        for (std::int64_t i = 0; i < 8; ++i)
          CHECK(p.grids[0][p.node((i + 3) % 8, j, k)] == before[p.node(i, j, k)]);
  }
}

TEST_CASE("inputs are what their parameters say") {
  const Plasma random({{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"per_cell", "2.5"}}),
      same({{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"per_cell", "2.5"}}),
      other({{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"per_cell", "2.5"}, {"seed", "2"}}),
      sorted({{"nx", "6"}, {"ny", "5"}, {"nz", "4"}, {"per_cell", "2.5"}, {"arrangement", "cell"}});
  CHECK(random.particles == 300);
  CHECK(random.of[x] == same.of[x]);
  CHECK(random.of[x] != other.of[x]);
  const auto cells = [](const Plasma& p) {
    std::vector<double> result;
    for (std::size_t n = 0; n < p.of[x].size(); ++n)
      result.push_back((std::floor(p.of[z][n]) * 5 + std::floor(p.of[y][n])) * 6 +
                       std::floor(p.of[x][n]));
    return result;
  };
  CHECK(!std::is_sorted(cells(random).begin(), cells(random).end()));
  std::vector<double> in_order = cells(sorted), any = cells(random);
  CHECK(std::is_sorted(in_order.begin(), in_order.end()));
  std::sort(any.begin(), any.end());
  CHECK(in_order == any);
  const Plasma bunch({{"nx", "12"}, {"ny", "12"}, {"nz", "12"}, {"density", "bunch"}});
  for (const double at : bunch.of[x]) CHECK((at >= 0 && at < 12));
  const auto middle = [](const Plasma& p) {
    return std::count_if(p.of[x].begin(), p.of[x].end(),
                         [](double at) { return at > 4 && at < 8; });
  };
  CHECK(middle(bunch) > bunch.particles / 2);
  CHECK(middle(Plasma({{"nx", "12"}, {"ny", "12"}, {"nz", "12"}})) < bunch.particles / 2);
}

TEST_CASE("boxes that cannot be are refused before memory is asked for") {
  const auto refusal = [](const Parameters& chosen) {
    return refusal_of([&] { Plasma p(chosen); });
  };
  CHECK(refusal({{"ny", "0"}}).message == "ny is below 1");
  CHECK(refusal({{"per_cell", "-1"}}).where == "--problem per_cell");
  CHECK(refusal({{"nx", "100000"}, {"ny", "100000"}}).message ==
        "more than 2147483647 cells: positions in the grid have 32 bits");
  const Refusal large =
      refusal({{"nx", "1000"}, {"ny", "1000"}, {"nz", "1000"}, {"per_cell", "1e5"}});
  CHECK(large.message.find("particles and grid need 10430842.") == 0);
  CHECK(large.where == "--problem nx,ny,nz,per_cell");
}
