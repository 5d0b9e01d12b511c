// The input of snap: counts against the published table, lists of neighbours, and refusals.
#include "snap_problem.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "../../../kernels/snap/tables.h"
#include "kernel/kernel.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

Refusal refusal(const Parameters& parameters) {
  return refusal_of([&] { solved(parameters); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("elements, couplings and flops are those of the published table") {
  struct Row {
    int twojmax, full, half, coefficients, couplings;
    double flops;
  };
  // TestSNAP with 26 neighbours: 2J = 8 takes 1.106 Mflop per atom, 14 takes 14.84.
  for (const Row& row :
       {Row{8, 285, 155, 55, 2386, 1.106e6}, {14, 1240, 652, 204, 25306, 14.84e6}}) {
    INFO("2J " << row.twojmax);
    CHECK(snap_kernel::full_offset(row.twojmax + 1) == row.full);
    CHECK(snap_kernel::half_offset(row.twojmax + 1) == row.half);
    CHECK(snap_kernel::BetaPlaces(row.twojmax).count() == row.coefficients);
    snap_kernel::Tables tables;
    const std::vector<double> beta(300, 1.0);
    tables.build(row.twojmax, beta.data(), false, false);
    CHECK(tables.couplings.size() == row.couplings);
    const MemoryProblem p = solved({{"twojmax", std::to_string(row.twojmax)}, {"cells", "3"}});
    CHECK(p.fact("max_neighbours") == 26);
    CHECK(p.fact("pairs") == 54 * 26);
    CHECK(p.facts.at("nominal_flops") / 54 == Approx(row.flops).epsilon(0.001));
    CHECK(p.facts.at("least_flops") < p.facts.at("nominal_flops"));
  }
}

TEST_CASE("every fact of snap's manifest is set, and no other") {
  const Kernel kernel = find_kernel("snap", ROOFTUNE_SOURCE_DIR);
  std::vector<std::string> set, declared = kernel.facts;
  for (const auto& [name, value] : solved({{"cells", "1"}}).facts) set.push_back(name);
  std::sort(declared.begin(), declared.end());
  CHECK(set == declared);
}

TEST_CASE("bonds are seen from both ends, also through the box") {
  for (const char* cells : {"1", "2", "4"}) {
    const MemoryProblem p = solved({{"cells", cells}, {"amplitude", "0.1"}});
    const auto &first = p.integers.at("first"), &neighbour = p.integers.at("neighbour"),
               &mirror = p.integers.at("mirror");
    const auto& d = p.reals.at("displacement");
    bool fits = first.back() == static_cast<std::int32_t>(neighbour.size());
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      for (auto b = static_cast<std::size_t>(first[i]); b < static_cast<std::size_t>(first[i + 1]);
           ++b) {
        const auto back = static_cast<std::size_t>(mirror[b]);
        fits = fits && neighbour[back] == static_cast<std::int32_t>(i) &&
               static_cast<std::size_t>(mirror[back]) == b;
        double square = 0;
        for (std::size_t c = 0; c < 3; ++c) {
          fits = fits && std::abs(d[3 * b + c] + d[3 * back + c]) < 1e-12;
          square += d[3 * b + c] * d[3 * b + c];
        }
        fits = fits && square < 4.73442 * 4.73442;
      }
    INFO(cells << " cells");
    CHECK(fits);
  }
}

TEST_CASE("a grid of cells finds the bonds that all pairs of atoms give") {
  const std::string text =
      "# box=11\n0.5 1 1.5\n10.5 10 9\n4 4 4\n6.5 4.5 4\n0.1 10.9 5\n-0.4 0.2 17\n";
  const MemoryProblem p = solved({{"positions", file_with(text)}, {"cutoff", "3.6"}});
  const double x[6][3] = {{0.5, 1, 1.5}, {10.5, 10, 9},  {4, 4, 4},
                          {6.5, 4.5, 4}, {0.1, 10.9, 5}, {-0.4, 0.2, 17}};
  int wanted = 0;
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int image = 0; image < 125; ++image) {
        const int shift[3] = {image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2};
        double square = 0;
        for (int c = 0; c < 3; ++c) {
          const double d = x[k][c] - x[i][c] + 11 * shift[c];
          square += d * d;
        }
        wanted += square > 0 && square < 3.6 * 3.6;
      }
  CHECK(p.fact("pairs") == wanted);
  CHECK(wanted >= 4);
}

TEST_CASE("files that do not fit are refused with line and field") {
  const std::string good = "# a=3.1803 ncell=2 rcut=4.7 2J=8\n0 0 0\n1.5 1.5 1.6\n";
  CHECK(solved({{"positions", file_with(good)}}).facts.at("cutoff_used") == 4.7);

  Refusal told = refusal({{"positions", file_with(good)}, {"twojmax", "6"}});
  CHECK(contains(told.message, "2J=8, but twojmax is 6"));
  CHECK(contains(told.where, ":2"));
  CHECK(contains(told.hint, "twojmax=8"));

  told = refusal({{"positions", file_with("# box=9\n0 0 0\n1 2\n")}});
  CHECK(contains(told.message, "z is missing"));
  CHECK(contains(told.where, ":3"));
  told = refusal({{"positions", file_with("# box=9\n0 0 0\n1 2y 3\n")}});
  CHECK(contains(told.message, "y \"2y\" is no number"));
  CHECK(contains(told.where, ":3"));
  told = refusal({{"positions", file_with("# box=9\n0 0 nan\n")}});
  CHECK(contains(told.message, "z \"nan\" is not finite"));
  CHECK(contains(refusal({{"positions", file_with("# box=9\n0 0 0 7\n")}}).message, "unexpected"));
  CHECK(contains(refusal({{"positions", file_with("1 2 3\n")}}).message, "edge"));
  CHECK(contains(refusal({{"positions", file_with("# box=x\n1 2 3\n")}}).message, "box \"x\""));
  CHECK(contains(refusal({{"positions", file_with("# box=9\n")}}).message, "no positions"));
  told = refusal({{"positions", file_with("# box=9\n1 1 1\n2 2 2\n1 1 1\n")}});
  CHECK(contains(told.message, "one place"));
  CHECK(contains(refusal({{"positions", "/does/not/exist"}}).message, "cannot be read"));
}

TEST_CASE("coefficients that do not fit 2J are refused with line and field") {
  std::string five;
  for (int i = 0; i < 6; ++i) five += "0.5\n";
  const Parameters fits = {{"twojmax", "2"}, {"cells", "1"}};
  auto with = [&](const std::string& text) {
    auto parameters = fits;
    parameters["coefficients"] = file_with(text);
    return parameters;
  };
  CHECK(solved(with("# five\n" + five)).reals.at("beta").size() == 6);
  Refusal told = refusal(with(five + "0.25\n"));
  CHECK(contains(told.message, "too many"));
  CHECK(contains(told.where, ":7"));
  CHECK(contains(told.hint, "2J=2 takes 6 numbers"));
  told = refusal(with("0.5\n0.5\n"));
  CHECK(contains(told.message, "coefficient 2 is missing"));
  told = refusal(with("0.5\n0.5\nx\n"));
  CHECK(contains(told.message, "coefficient 2 \"x\" is no number"));
  CHECK(contains(told.where, ":3"));
}

TEST_CASE("sizes that cannot be are refused before memory is taken") {
  CHECK(contains(refusal({{"cells", "400"}}).message, "32 bits"));
  CHECK(contains(refusal({{"twojmax", "15"}}).where, "twojmax"));
  CHECK(contains(refusal({{"cells", "0"}}).where, "cells"));
}
