// The generated matrices of spmv, the facts about matrices, and the reference.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "spmv_problem.h"

using namespace rooftune::testing;

namespace {

MemoryProblem small(const std::string& kind, const std::string& n, const std::string& seed = "1") {
  return solved({{"kind", kind}, {"n", n}, {"seed", seed}});
}

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

bool is_symmetric(const Sparse& a) {
  const std::vector<double> d = a.dense();
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if (d[at(i * a.cols + j)] != d[at(j * a.cols + i)]) return false;
  return true;
}

/// |y - A x| <= gamma_k |A| |x| in every row, against a dense product in long double.
void check_product(const Sparse& a) {
  const std::vector<double> d = a.dense(), y = a.product();
  for (std::int64_t i = 0; i < a.rows; ++i) {
    long double sum = 0, magnitude = 0;
    for (std::int64_t j = 0; j < a.cols; ++j) {
      const long double term =
          static_cast<long double>(d[at(i * a.cols + j)]) * static_cast<long double>(a.x[at(j)]);
      sum += term;
      magnitude += std::abs(term);
    }
    const double k = a.pointer[at(i) + 1] - a.pointer[at(i)];
    CHECK(static_cast<double>(std::abs(sum - static_cast<long double>(y[at(i)]))) <=
          (k + 1) * 1.2e-16 * static_cast<double>(magnitude));
  }
}

/// Blocks of height x width that cover the entries, counted the slow way: block rows at multiples
/// of the height, each block at the leftmost column that is not covered yet.
double slow_fill(const Sparse& a, std::int64_t height, std::int64_t width) {
  const std::vector<double> d = a.dense();
  double blocks = 0;
  for (std::int64_t i = 0; i < a.rows; i += height) {
    std::int64_t covered = 0;
    for (std::int64_t j = 0; j < a.cols; ++j) {
      bool any = false;
      for (std::int64_t r = i; r < std::min(i + height, a.rows); ++r)
        any |= d[at(r * a.cols + j)] != 0;
      if (!any || j < covered) continue;
      ++blocks;
      covered = j + width;
    }
  }
  return blocks * static_cast<double>(height * width) / static_cast<double>(a.entries());
}

}  // namespace

TEST_CASE("generated matrices have the promised shape and multiply like dense ones") {
  const std::map<std::string, std::pair<std::string, double>> kinds = {
      {"fem3d", {"3", 343 * 9}},
      {"laplace2d", {"9", 5 * 81 - 36}},
      {"laplace3d", {"4", 7 * 64 - 96}},
      {"stencil27", {"4", 1000}},
      {"arrow", {"50", 148}},
      {"dense", {"20", 400}}};
  for (const auto& [kind, shape] : kinds) {
    INFO(kind);
    const MemoryProblem problem = small(kind, shape.first);
    const Sparse a = loaded(problem);
    CHECK(static_cast<double>(a.entries()) == shape.second);
    CHECK(problem.facts.at("nnz") == shape.second);
    check_product(a);
    for (std::int64_t i = 0; i < a.rows; ++i)
      CHECK(std::is_sorted(a.column.begin() + a.pointer[at(i)],
                           a.column.begin() + a.pointer[at(i) + 1], std::less_equal<>()));
  }
}

TEST_CASE("grid matrices are symmetric and diagonally dominant") {
  for (const char* kind : {"fem3d", "laplace2d", "laplace3d", "stencil27"}) {
    INFO(kind);
    const MemoryProblem problem = small(kind, "4");
    const Sparse a = loaded(problem);
    CHECK(is_symmetric(a));
    CHECK(problem.facts.at("symmetric") == 1);
    const std::vector<double> d = a.dense();
    for (std::int64_t i = 0; i < a.rows; ++i) {
      double others = 0;
      for (std::int64_t j = 0; j < a.cols; ++j)
        if (j != i) others += std::abs(d[at(i * a.cols + j)]);
      CHECK(d[at(i * a.cols + i)] >= others);
    }
  }
}

TEST_CASE("graphs and bands are irregular, and the seed decides them") {
  const MemoryProblem problem = small("powerlaw", "9");
  const Sparse graph = loaded(problem), band = loaded(small("banded", "300"));
  check_product(graph);
  check_product(band);
  CHECK(graph.rows == 512);
  CHECK(graph.entries() > 4000);
  CHECK(graph.entries() < 16 * 512);
  CHECK(problem.facts.at("max_row") > 8 * problem.facts.at("mean_row"));
  CHECK(problem.facts.at("symmetric") == 0);
  CHECK(small("banded", "300").facts.at("bandwidth") <= 16);
  CHECK(loaded(small("powerlaw", "9", "1")).column == graph.column);
  CHECK(loaded(small("powerlaw", "9", "2")).column != graph.column);
  CHECK(loaded(small("powerlaw", "9", "2")).x != graph.x);
}

TEST_CASE("sizes of generated matrices are checked before anything is allocated") {
  CHECK_THROWS_AS(small("fem3d", "100000"), Refusal);
  CHECK_THROWS_AS(small("laplace3d", "2000000000"), Refusal);
  CHECK_THROWS_AS(small("laplace2d", "40000"), Refusal);
  CHECK_THROWS_AS(small("powerlaw", "40"), Refusal);
  CHECK_THROWS_AS(small("powerlaw", "26"), Refusal);
  CHECK_THROWS_AS(small("dense", "60000"), Refusal);
  CHECK_THROWS_AS(small("banded", "200000000"), Refusal);
  CHECK_THROWS_AS(small("arrow", "2147483646"), Refusal);
  CHECK_THROWS_AS(small("fem3d", "-1"), Refusal);
  CHECK_THROWS_AS(small("swirl", "4"), Refusal);
  for (const char* kind :
       {"fem3d", "laplace2d", "laplace3d", "stencil27", "powerlaw", "banded", "arrow", "dense"}) {
    INFO(kind);
    check_product(loaded(small(kind, "1")));
  }
}

TEST_CASE("facts of a small matrix") {
  // . 2 3 . .     row 1 is empty, column 4 is never used
  // . . . . .
  // 1 . . 4 .
  const auto facts = solved_text(
                         "%%MatrixMarket matrix coordinate real general\n3 5 4\n"
                         "1 2 2\n1 3 3\n3 1 1\n3 4 4\n")
                         .facts;
  CHECK(facts.at("rows") == 3);
  CHECK(facts.at("cols") == 5);
  CHECK(facts.at("nnz") == 4);
  CHECK(facts.at("max_row") == 2);
  CHECK(facts.at("mean_row") == Approx(4.0 / 3));
  CHECK(facts.at("row_variation") == Approx(std::sqrt(0.5)));
  CHECK(facts.at("nonempty_rows") == 2);
  CHECK(facts.at("used_cols") == 4);
  CHECK(facts.at("bandwidth") == 2);
  CHECK(facts.at("symmetric") == 0);
  CHECK(facts.at("fill_2x2") == 3);
}

TEST_CASE("fills agree with a slow count, and no format takes fewer than the least bytes") {
  std::vector<MemoryProblem> problems;
  for (const char* kind : {"fem3d", "laplace2d", "laplace3d", "stencil27", "arrow"})
    problems.push_back(small(kind, kind[0] == 'f' ? "5" : "7"));
  problems.push_back(small("powerlaw", "7"));
  problems.push_back(small("banded", "101"));
  for (const MemoryProblem& problem : problems) {
    const Sparse a = loaded(problem);
    for (const int side : {2, 3, 4, 6, 8}) {
      const std::string name = "fill_" + std::to_string(side) + "x" + std::to_string(side);
      CHECK(problem.facts.at(name) == Approx(slow_fill(a, side, side)));
    }
    bool single = true;
    double diagonal = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int32_t k = a.pointer[at(i)]; k < a.pointer[at(i) + 1]; ++k) {
        single &= static_cast<double>(static_cast<float>(a.value[at(k)])) == a.value[at(k)];
        diagonal += a.column[at(k)] == i;
      }
    CHECK(problem.facts.at("single_values") == single);
    const double bytes = single ? 4 : 8, nnz = problem.facts.at("nnz");
    double least = (bytes + 1) * nnz;
    for (const int r : {1, 2, 3, 4, 6, 8})
      for (const int c : {1, 2, 3, 4, 6, 8}) {
        const double stored = slow_fill(a, r, c) * problem.facts.at("nnz");
        const double blocks = stored / (r * c);
        const double block_rows = std::ceil(static_cast<double>(a.rows) / r);
        least = std::min(least, bytes * stored + 4 * (block_rows + 1) +
                                    std::min(4 * blocks, 2 * blocks + 4 * block_rows));
      }
    CHECK(problem.facts.at("full_matrix_bytes") == Approx(least));
    if (is_symmetric(a))
      least = std::min(least,
                       (nnz - diagonal) / 2 * (bytes + 2.0 / 64) + 8 * static_cast<double>(a.rows));
    CHECK(problem.facts.at("least_matrix_bytes") == Approx(least));
  }
  CHECK(problems[0].facts.at("best_block_rows") == 3);
  CHECK(problems[0].facts.at("best_block_cols") == 3);
  CHECK(problems[0].facts.at("fill_3x3") == 1);
}

TEST_CASE("the reference is linear and finds columns") {
  Sparse a = loaded(small("powerlaw", "7"));
  const std::vector<double> d = a.dense();
  for (std::int64_t j = 0; j < a.cols; j += 13) {
    std::fill(a.x.begin(), a.x.end(), 0.0);
    a.x[at(j)] = 1;
    const std::vector<double> y = a.product();
    for (std::int64_t i = 0; i < a.rows; ++i) CHECK(y[at(i)] == d[at(i * a.cols + j)]);
  }
  std::vector<double> scaled = a.x;
  const std::vector<double> y = a.product();
  for (double& v : a.x) v *= 4;
  const std::vector<double> four = a.product();
  for (std::int64_t i = 0; i < a.rows; ++i) CHECK(four[at(i)] == 4 * y[at(i)]);
}

TEST_CASE("real matrices load with the sizes of their list") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  // rows, columns, entries with both triangles
  const std::map<std::string, std::vector<double>> sizes = {
      {"bcsstk16", {4884, 4884, 290378}},     {"Groebner_id2003_aug", {4967, 2456, 173670}},
      {"arrow", {46500, 46500, 139498}},      {"as20graph", {6474, 6474, 26467}},
      {"bcspwr10", {5300, 5300, 21842}},      {"lp_e226_T", {472, 223, 2768}},
      {"west0479", {479, 479, 1910}},         {"ScaleMicrogrid_N1000", {35998, 35998, 197981}},
      {"lap3D_7pt_n20", {8000, 8000, 53600}}, {"mesh_beetle_spring3", {59661, 59661, 1225985}}};
  for (const auto& [name, size] : sizes) {
    INFO(name);
    const std::string path = std::string(data) + "/matrices/" + name + ".mtx";
    REQUIRE(std::filesystem::exists(path));
    const MemoryProblem problem = solved({{"matrix", path}});
    CHECK(std::vector<double>{problem.facts.at("rows"), problem.facts.at("cols"),
                              problem.facts.at("nnz")} == size);
    Sparse a = loaded(problem);
    std::fill(a.x.begin(), a.x.end(), 1.0);
    const std::vector<double> y = a.product();
    for (std::int64_t i = 0; i < a.rows; i += 97) {
      double sum = 0;
      for (std::int32_t k = a.pointer[at(i)]; k < a.pointer[at(i) + 1]; ++k) sum += a.value[at(k)];
      CHECK(y[at(i)] == sum);
    }
  }
}
