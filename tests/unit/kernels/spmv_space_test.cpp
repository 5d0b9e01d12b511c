// The search space of spmv for many matrices: it exists, its defaults are allowed, and one step
// from the baseline reaches each format.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "space/search_space.h"
#include "space/space_reader.h"
#include "spmv_problem.h"
#include "support/published_path.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path tree = ROOFTUNE_SOURCE_DIR;

Facts facts(const MemoryProblem& problem, int simd_bits, int threads) {
  Facts all = {{"machine_cores", Value(threads)},       {"machine_threads", Value(threads)},
               {"machine_simd_bits", Value(simd_bits)}, {"machine_l1_bytes", Value(32768)},
               {"machine_l2_bytes", Value(1048576)},    {"machine_huge_pages", Value(false)}};
  for (const auto& [name, value] : problem.facts) all[name] = Value(value);
  for (const char* whole : {"best_block_rows", "best_block_cols", "max_row", "rows", "cols", "nnz"})
    all[whole] = Value(problem.fact(whole));
  return on_small_machine(all);
}

/// Values of `knob` among the configurations one step from the baseline, the baseline's own
/// included.
std::vector<std::string> near(const SearchSpace& space, const std::string& knob) {
  std::vector<std::string> values = {to_text(space.baseline().at(knob))};
  for (const Configuration& configuration : space.neighbours(space.baseline()))
    values.push_back(to_text(configuration.at(knob)));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void check_space(const MemoryProblem& problem, const Kernel& kernel) {
  for (const int bits : {0, 128, 256, 512})
    for (const int threads : {1, 2, 6}) {
      INFO(bits << " bits, " << threads << " threads");
      const SearchSpace space =
          read_space(find_space(kernel, "openmp", tree), facts(problem, bits, threads));
      CHECK(space.size() > 1000);
      CHECK(space.allowed(space.baseline()));
      CHECK(near(space, "format") == std::vector<std::string>{"bcsr", "csr", "sell", "tiles"});
      CHECK(near(space, "index_bits") == std::vector<std::string>{"16", "32"});
      const std::size_t splits = threads == 1 ? 1 : 3;
      CHECK(near(space, "split").size() == splits);
      Configuration wide = space.baseline();
      wide.set("simd_width", Value(8));
      CHECK(space.allowed(wide) == (bits == 512));
    }
}

/// Blocks of rows x cols, the fewest that hold the matrix.
double blocks_of(const Sparse& a, int rows, int cols) {
  double count = 0;
  for (std::int64_t first = 0; first < a.rows; first += rows) {
    const auto from = a.column.begin() + a.pointer[static_cast<std::size_t>(first)];
    const auto to =
        a.column.begin() + a.pointer[static_cast<std::size_t>(std::min(first + rows, a.rows))];
    std::int32_t covered = 0;
    for (const std::int32_t column : std::set<std::int32_t>(from, to))
      if (column >= covered) {
        ++count;
        covered = column + cols;
      }
  }
  return count;
}

}  // namespace

TEST_CASE("what register blocks are said to move is no more than they hold, zeros included") {
  const Kernel kernel = find_kernel("spmv", tree);
  const std::filesystem::path file = find_space(kernel, "openmp", tree);
  for (const char* kind : {"fem3d", "powerlaw", "laplace2d"}) {
    const MemoryProblem problem = solved({{"kind", kind}, {"n", "5"}});
    const Facts known = facts(problem, 512, 2);
    const SearchSpace space = read_space(file, known);
    const LeastMovements least =
        least_movements_from_json(read_json(file), file.string(), space, known);
    const auto used = static_cast<double>(problem.fact("used_cols"));
    Configuration blocked = space.baseline();
    blocked.set("format", Value("bcsr"));
    for (const int rows : {1, 2, 3, 4, 6, 8})
      for (const int cols : {1, 2, 3, 4, 6, 8}) {
        INFO(kind << ", " << rows << " x " << cols);
        blocked.set("block_rows", Value(rows));
        blocked.set("block_cols", Value(cols));
        double said = 0;
        for (const Movement& one : least.compute(blocked, Traffic{}))
          said = std::max(said, one.read.value() - 8 * used);
        const double held = blocks_of(loaded(problem), rows, cols) * (8 * rows * cols + 4);
        CHECK(said <= held * (1 + 1e-12));
        if (rows == cols) CHECK(said == Approx(held));
      }
  }
}

TEST_CASE("the search space holds for generated matrices") {
  const Kernel kernel = find_kernel("spmv", tree);
  for (const char* kind :
       {"fem3d", "laplace2d", "laplace3d", "stencil27", "powerlaw", "banded", "arrow", "dense"}) {
    INFO(kind);
    check_space(solved({{"kind", kind}, {"n", "6"}}), kernel);
  }
}

TEST_CASE("every fact of spmv's manifest is set, and no other") {
  const Kernel kernel = find_kernel("spmv", tree);
  const MemoryProblem problem = solved({{"n", "3"}});
  std::vector<std::string> set, declared = kernel.facts;
  for (const auto& [name, value] : problem.facts) set.push_back(name);
  std::sort(declared.begin(), declared.end());
  CHECK(set == declared);
  const Facts all = facts(problem, 128, 1);
  const Traffic least = traffic(kernel, all);
  CHECK(least.read.value() ==
        problem.facts.at("least_matrix_bytes") + 8 * problem.facts.at("cols"));
  CHECK(least.write.value() == 8 * problem.facts.at("rows"));
}

TEST_CASE("a matrix without dense blocks allows no large block, a tall one no reordering") {
  const Kernel kernel = find_kernel("spmv", tree);
  const SearchSpace graph = read_space(find_space(kernel, "openmp", tree),
                                       facts(solved({{"kind", "powerlaw"}, {"n", "12"}}), 256, 2));
  Configuration blocks = graph.baseline();
  blocks.set("format", Value("bcsr"));
  blocks.set("block_rows", Value(8));
  blocks.set("block_cols", Value(8));
  CHECK(graph.why_not(blocks).find("dense") != std::string::npos);
  const SearchSpace tall = read_space(
      find_space(kernel, "openmp", tree),
      facts(solved_text("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 1\n"), 256, 2));
  REQUIRE(tall.knob("reorder") != nullptr);
  CHECK(tall.knob("reorder")->values.size() == 1);
  CHECK(tall.knob("reorder")->collapsed.find("square") != std::string::npos);
}

TEST_CASE("every step of the published path is another configuration of the space") {
  const Kernel kernel = find_kernel("spmv", tree);
  const auto path = testing::published_path(kernel, "openmp");
  REQUIRE(path.has_value());
  Facts all = facts(solved({{"kind", "fem3d"}, {"n", "6"}}), 512, 2);
  all["machine_huge_pages"] = Value(true);
  const SearchSpace space = read_space(find_space(kernel, "openmp", tree), all);
  std::string before;
  for (const PlacedStep& step : placed(*path, space, "path")) {
    CHECK(step.impossible == "");
    CHECK(step.configuration.key() != before);
    before = step.configuration.key();
  }
}

TEST_CASE("x comes by loads until somebody asks for gather instructions") {
  const Kernel kernel = find_kernel("spmv", tree);
  const MemoryProblem problem = solved({{"kind", "laplace3d"}, {"n", "6"}});
  for (const int bits : {128, 256, 512}) {
    const SearchSpace space =
        read_space(find_space(kernel, "openmp", tree), facts(problem, bits, 2));
    for (const char* format : {"sell", "tiles"}) {
      INFO(format << ", " << bits << " bits");
      Configuration chosen = space.baseline();
      chosen.set("format", Value(format));
      chosen = space.normalised(chosen);
      CHECK(space.allowed(chosen));
      CHECK(to_text(chosen.at("gather")) == "loads");
    }
  }
}

TEST_CASE("what a matrix does not allow collapses with the reason") {
  const Kernel kernel = find_kernel("spmv", tree);
  const SearchSpace arrow = read_space(find_space(kernel, "openmp", tree),
                                       facts(solved({{"kind", "arrow"}, {"n", "60"}}), 256, 2));
  CHECK(arrow.knob("half")->collapsed.find("symmetric") != std::string::npos);
  CHECK(arrow.knob("value_bits")->collapsed.find("single") != std::string::npos);
  CHECK(arrow.knob("band_columns")->collapsed.find("cache") != std::string::npos);
  const SearchSpace grid = read_space(find_space(kernel, "openmp", tree),
                                      facts(solved({{"kind", "laplace2d"}, {"n", "120"}}), 256, 2));
  CHECK(near(grid, "half").size() == 2);
  CHECK(near(grid, "value_bits").size() == 2);
  CHECK(near(grid, "band_columns") == std::vector<std::string>{"0", "4096"});
}

TEST_CASE("the search space holds for real matrices") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const Kernel kernel = find_kernel("spmv", tree);
  for (const auto& entry : std::filesystem::directory_iterator(std::string(data) + "/matrices")) {
    if (entry.path().extension() != ".mtx") continue;
    INFO(entry.path());
    check_space(solved({{"matrix", entry.path().string()}}), kernel);
  }
}
