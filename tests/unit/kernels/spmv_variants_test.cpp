// Variants of spmv, compiled while the test runs: every format with every split, index width and
// order, and every register block, on awkward matrices with x and y at forbidden pages, against the
// reference.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "built_function.h"
#include "guarded_array.h"
#include "kernel/kernel.h"
#include "spmv_matrices.h"
#include "variant_sample.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

/// y between forbidden pages holds the product within the rounding of both, also the second time.
void check_product(const BuiltFunction& variant, const Sparse& a, Flush flush) {
  const std::vector<double> wanted = a.product();
  for (const int calls : {1, 2}) {
    INFO(calls << " calls");
    const std::vector<double> got = product_of(variant, a, flush, calls);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      double magnitude = 0;
      for (auto k = static_cast<std::size_t>(a.pointer[i]);
           k < static_cast<std::size_t>(a.pointer[i + 1]); ++k)
        magnitude += std::abs(a.value[k] * a.x[static_cast<std::size_t>(a.column[k])]);
      const double allowed = 2.23e-16 * magnitude * (a.pointer[i + 1] - a.pointer[i] + 2);
      if (!(std::abs(got[i] - wanted[i]) <= allowed))
        FAIL_CHECK("row " << i << ": " << got[i] << " instead of " << wanted[i]);
    }
  }
}

/// The first words decide; the other knobs take their values in turn, as far as the space allows.
class Variants {
 public:
  explicit Variants(Matrices matrices = awkward_matrices())
      : kernel_(find_kernel("spmv", home)),
        space_(whole_space(kernel_)),
        matrices_(std::move(matrices)) {}

  void add(const std::map<std::string, Value>& settings) {
    Configuration configuration = space_.baseline();
    for (const auto& [name, value] : settings) configuration.set(name, value);
    REQUIRE(space_.why_not(space_.normalised(configuration)) == "");
    const std::size_t turn = added_.size() + 1;
    for (const Knob& knob : space_.knobs()) {
      if (settings.count(knob.name) != 0 || knob.name == "half") continue;
      Configuration next = configuration;
      next.set(knob.name, knob.values[turn % knob.values.size()]);
      if (space_.allowed(space_.normalised(next))) configuration = next;
    }
    added_.push_back(space_.normalised(configuration));
  }

  /// Those that were added; by day a few with all their values.
  void check() const {
    int turn = 0;
    for (const Configuration& configuration : few_by_day(added_)) check(configuration, ++turn);
  }

  void check(const Configuration& configuration, int turn) const {
    INFO(configuration.key());
    const BuiltFunction variant(kernel_, space_, configuration);
    for (const int threads : {1, 3}) {
      INFO(threads << " threads");
      variant.set_openmp(threads, turn % 3 == 1 ? "dynamic" : "static", turn % 2);
      for (const auto& [name, a] : matrices_) {
        if (a.rows != a.cols && configuration.at("reorder").text() != "none") continue;
        INFO("matrix " << name);
        check_product(variant, a, threads == 1 ? Flush::end : Flush::start);
      }
    }
  }

  void check_plain() {
    const BuiltFunction variant(kernel_, space_, space_.baseline());
    for (const char* schedule : {"static", "guided"})
      for (const auto& [name, a] : matrices_) {
        INFO("matrix " << name << ", " << schedule);
        variant.set_openmp(2, schedule, 0);
        check_product(variant, a, Flush::end);
      }
  }

  const Kernel& kernel() const { return kernel_; }
  const SearchSpace& search_space() const { return space_; }

 private:
  Kernel kernel_;
  SearchSpace space_;
  Matrices matrices_;
  std::vector<Configuration> added_;
};

}  // namespace

TEST_CASE("spmv with every knob at its default agrees with the reference") {
  Variants().check_plain();
}

TEST_CASE("rows with every split, index width and order agree with the reference") {
  Variants variants;
  int width = 0;
  for (const int bits : {32, 16})
    for (const char* split : {"rows", "nonzeros", "merge"})
      for (const char* reorder : {"none", "rcm", "degree"}) {
        const int widths[] = {1, 2, 4, 8};
        const int simd = std::min(widths[width++ % 4], simd_bits() / 64);
        variants.add({{"format", Value("csr")},
                      {"index_bits", Value(bits)},
                      {"split", Value(split)},
                      {"reorder", Value(reorder)},
                      {"simd_width", Value(simd)}});
      }
  // Gather instructions, and masks for what is left of a row, in every width and with every index.
  for (const int simd : {4, 8})
    for (const int bits : {32, 16})
      for (const int unrolled : {1, 2})
        if (simd * 64 <= simd_bits())
          variants.add({{"format", Value("csr")},
                        {"index_bits", Value(bits)},
                        {"simd_width", Value(simd)},
                        {"unroll", Value(unrolled)},
                        {"gather", Value("instruction")}});
  variants.check();
}

TEST_CASE("bands of columns of every width agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int columns : {4096, 32768, 131072})
    for (const int bits : {32, 16})
      variants.add({{"format", Value("csr")},
                    {"band_columns", Value(columns)},
                    {"index_bits", Value(bits)},
                    {"split", Value(turn++ % 2 == 0 ? "rows" : "nonzeros")}});
  variants.check();
}

TEST_CASE("tiles of every size agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int lanes : {2, 4, 8})
    for (const int steps : {4, 16, 64}) {
      if (lanes * 64 > std::max(128, simd_bits())) continue;
      variants.add({{"format", Value("tiles")},
                    {"tile_lanes", Value(lanes)},
                    {"tile_steps", Value(steps)},
                    {"index_bits", Value(turn % 2 == 0 ? 16 : 32)},
                    {"gather", Value(turn++ % 3 == 0 ? "loads" : "instruction")}});
    }
  variants.check();
}

TEST_CASE("halves of symmetric matrices agree with the reference") {
  Variants variants(symmetric_matrices());
  int turn = 0;
  const int widths[] = {1, 2, 4, 8};
  for (const int bits : {32, 16})
    for (const int values : {64, 32})
      for (const char* split : {"rows", "nonzeros"})
        variants.add({{"format", Value("csr")},
                      {"half", Value(true)},
                      {"index_bits", Value(bits)},
                      {"value_bits", Value(values)},
                      {"split", Value(split)},
                      {"gather", Value("instruction")},
                      {"simd_width", Value(std::min(widths[turn++ % 4], simd_bits() / 64))}});
  for (const int height : {1, 2, 3, 4, 6, 8})
    for (const int width : {1, 3, 4, 8}) {
      if ((height + width) % 2 == 0 && height != width) continue;
      variants.add({{"format", Value("bcsr")},
                    {"half", Value(true)},
                    {"block_rows", Value(height)},
                    {"block_cols", Value(width)},
                    {"index_bits", Value(turn % 2 == 0 ? 16 : 32)},
                    {"split", Value(turn++ % 3 == 0 ? "nonzeros" : "rows")}});
    }
  variants.check();
}

TEST_CASE("chunks with every height, split, index width and order agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int bits : {32, 16})
    for (const char* split : {"rows", "nonzeros"})
      for (const char* reorder : {"none", "rcm", "degree"}) {
        const int heights[] = {4, 8, 16, 32}, windows[] = {1, 32, 0}, limits[] = {0, 2};
        variants.add({{"format", Value("sell")},
                      {"index_bits", Value(bits)},
                      {"split", Value(split)},
                      {"reorder", Value(reorder)},
                      {"sort_rows", Value(windows[turn % 3])},
                      {"long_rows", Value(limits[turn % 2])},
                      {"chunk_lanes", Value(turn % 3 == 0 ? 2 : std::min(4, simd_bits() / 64))},
                      {"chunk_rows", Value(heights[turn++ % 4])}});
      }
  for (const int lanes : {2, 4, 8})
    if (lanes * 64 <= simd_bits())
      variants.add({{"format", Value("sell")},
                    {"chunk_rows", Value(8)},
                    {"chunk_lanes", Value(lanes)},
                    {"gather", Value("instruction")},
                    {"index_bits", Value(16)}});
  // Bytes behind a base per step, and the merge path through chunks.
  for (const int height : {4, 8, 32})
    for (const char* gather : {"loads", "instruction"})
      variants.add({{"format", Value("sell")},
                    {"chunk_rows", Value(height)},
                    {"chunk_lanes", Value(std::min(height == 32 ? 8 : 4, simd_bits() / 64))},
                    {"gather", Value(gather)},
                    {"index_bits", Value(8)},
                    {"split", Value(height == 8 ? "nonzeros" : "merge")}});
  variants.check();
}

TEST_CASE("register blocks of every height and width agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int height : {1, 2, 3, 4, 6, 8})
    for (const int width : {1, 2, 3, 4, 6, 8}) {
      // Every height with every width would only repeat what these reach.
      if (height != width && (height + width) % 3 == 0) continue;
      variants.add({{"format", Value("bcsr")},
                    {"block_rows", Value(height)},
                    {"block_cols", Value(width)},
                    {"index_bits", Value(turn % 2 == 0 ? 16 : 32)},
                    {"half", Value(false)},
                    {"split", Value(turn % 3 == 0   ? "nonzeros"
                                    : turn % 3 == 1 ? "merge"
                                                    : "rows")}});
      ++turn;
    }
  variants.check();
}

TEST_CASE("real matrices agree with the reference in every format") {
  const char* data = std::getenv("ROOFTUNE_DATA");
  if (data == nullptr || *data == '\0') {
    WARN("skipped: ROOFTUNE_DATA is not set");
    return;
  }
  const Variants variants;
  const std::vector<std::map<std::string, Value>> formats = {
      {{"split", Value("merge")}, {"unroll", Value(4)}},
      {{"format", Value("sell")}, {"index_bits", Value(16)}, {"long_rows", Value(4)}},
      {{"format", Value("bcsr")},
       {"index_bits", Value(16)},
       {"block_rows", Value(3)},
       {"block_cols", Value(3)}},
      {{"format", Value("tiles")}, {"index_bits", Value(16)}},
      {{"format", Value("sell")}, {"index_bits", Value(8)}, {"split", Value("merge")}},
      {{"format", Value("sell")}, {"reorder", Value("rcm")}}};
  for (const auto& settings : formats) {
    Configuration configuration = variants.search_space().baseline();
    for (const auto& [name, value] : settings) configuration.set(name, value);
    const BuiltFunction variant(variants.kernel(), variants.search_space(), configuration);
    variant.set_openmp(2, "static", 0);
    for (const char* name : {"bcsstk16", "arrow", "Groebner_id2003_aug", "as20graph", "west0479",
                             "lp_e226_T", "hibench_small", "mesh_bunny_cot"}) {
      INFO(name << " " << configuration.key());
      const Sparse a =
          loaded(solved({{"matrix", std::string(data) + "/matrices/" + name + ".mtx"}}));
      if (a.rows != a.cols && configuration.at("reorder").text() != "none") continue;
      check_product(variant, a, Flush::end);
    }
  }
}
