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
#include "kernel/catalogue.h"
#include "spmv_problem.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

const std::filesystem::path home = ROOFTUNE_SOURCE_DIR;

/// A small deterministic source of numbers.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::int64_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>(state_ >> 33) % count;
  }
  double value() { return static_cast<double>(below(2001) - 1000) / 512; }

 private:
  std::uint64_t state_;
};

/// `columns(i)` gives the columns of row i in any order, also twice.
template <class Columns>
Sparse sparse(std::int64_t rows, std::int64_t cols, const Columns& columns) {
  Numbers numbers(static_cast<std::uint64_t>(rows * 1000003 + cols));
  Sparse a;
  a.rows = rows;
  a.cols = cols;
  for (std::int64_t i = 0; i < rows; ++i) {
    std::map<std::int64_t, double> row;
    for (const std::int64_t j : columns(i)) row[j] = numbers.value();
    for (const auto& [j, v] : row) {
      a.column.push_back(static_cast<std::int32_t>(j));
      a.value.push_back(v);
    }
    a.pointer.push_back(static_cast<std::int32_t>(a.column.size()));
  }
  for (std::int64_t j = 0; j < cols; ++j) a.x.push_back(numbers.value());
  return a;
}

using Columns = std::vector<std::int64_t>;

Columns random_columns(Numbers& numbers, std::int64_t count, std::int64_t cols) {
  Columns columns;
  for (std::int64_t k = 0; k < count; ++k) columns.push_back(numbers.below(cols));
  return columns;
}

Columns range(std::int64_t low, std::int64_t high) {
  Columns columns;
  for (std::int64_t j = low; j < high; ++j) columns.push_back(j);
  return columns;
}

using Matrices = std::map<std::string, Sparse>;

/// Empty, tiny, thin.
Matrices small_matrices() {
  Numbers n(7);
  const auto none = [](std::int64_t) { return Columns{}; };
  Matrices all;
  all["0 x 0"] = sparse(0, 0, none);
  all["0 x 4"] = sparse(0, 4, none);
  all["4 x 0"] = sparse(4, 0, none);
  all["37 empty rows"] = sparse(37, 5, none);
  all["1 x 1"] = sparse(1, 1, [](std::int64_t) { return Columns{0}; });
  all["one column"] =
      sparse(70, 1, [](std::int64_t i) { return i % 3 == 0 ? Columns{} : Columns{0}; });
  all["one row"] = sparse(1, 1000, [](std::int64_t) { return range(3, 990); });
  all["last column only"] = sparse(35, 67, [](std::int64_t) { return Columns{66}; });
  all["every other row empty"] = sparse(
      101, 64, [&](std::int64_t i) { return i % 2 == 0 ? Columns{} : random_columns(n, 5, 64); });
  return all;
}

/// Long rows, blocks, and columns too far apart for 16 bits.
Matrices awkward_matrices() {
  Matrices all = small_matrices();
  Numbers n(11);
  all["one dense row"] =
      sparse(90, 90, [](std::int64_t i) { return i == 41 ? range(0, 90) : Columns{i}; });
  all["arrow"] = sparse(130, 130, [](std::int64_t i) {
    return i == 0 ? range(0, 130) : Columns{0, i};
  });
  all["wide"] =
      sparse(9, 3000, [&](std::int64_t i) { return random_columns(n, 10 + 40 * i, 3000); });
  all["tall and narrow"] =
      sparse(1001, 7, [&](std::int64_t i) { return random_columns(n, i % 5, 7); });
  all["dense 40 x 41"] = sparse(40, 41, [](std::int64_t) { return range(0, 41); });
  all["blocks of 3, two rows over"] = sparse(53, 53, [](std::int64_t i) {
    Columns columns;
    for (std::int64_t j = i / 3 * 3 - 6; j < i / 3 * 3 + 9; j += 3)
      for (std::int64_t c = j; c < j + 3; ++c)
        if (c >= 0 && c < 53) columns.push_back(c);
    return columns;
  });
  all["columns beyond 16 bits"] = sparse(61, 200000, [&](std::int64_t i) {
    // Narrow rows, wide rows and both in one chunk.
    Columns columns = random_columns(n, i % 7, i % 3 == 0 ? 200000 : 50000);
    if (i % 5 == 0) columns.push_back(199999);
    if (i % 5 == 0) columns.push_back(199999 - 65535 - (i % 2));
    return columns;
  });
  all["two parts"] = sparse(64, 64, [](std::int64_t i) {
    return i % 2 == 0 ? Columns{i, (i + 2) % 64} : Columns{i};
  });
  all["random square"] = sparse(
      517, 517, [&](std::int64_t i) { return random_columns(n, i % 11 == 0 ? 120 : 6, 517); });
  return all;
}

/// y between forbidden pages holds the product within the rounding of both.
void check_product(const BuiltFunction& variant, const Sparse& a, Flush flush) {
  const std::vector<double> wanted = a.product();
  const GuardedArray x(a.x.size(), flush), y(wanted.size(), flush), value(a.value.size(), flush);
  const GuardedArray column((a.column.size() + 1) / 2, flush);
  std::copy(a.x.begin(), a.x.end(), x.data());
  std::copy(a.value.begin(), a.value.end(), value.data());
  // An odd number of 4-byte columns has its last one at the forbidden page.
  std::int32_t* columns = reinterpret_cast<std::int32_t*>(column.data()) +
                          (flush == Flush::end ? a.column.size() % 2 : 0);
  std::copy(a.column.begin(), a.column.end(), columns);
  std::int64_t rows = a.rows, cols = a.cols, entries = a.entries();
  std::vector<std::int32_t> pointer = a.pointer;
  void* arguments[] = {&rows,   &cols,        &entries, pointer.data(),
                       columns, value.data(), x.data(), y.data()};
  variant.prepare(arguments);
  for (int call = 1; call <= 2; ++call) {
    INFO("call " << call);
    for (std::size_t i = 0; i < wanted.size(); ++i) y.data()[i] = std::nan("");
    variant.call(arguments);
    variant.finish(arguments);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      double magnitude = 0;
      for (auto k = static_cast<std::size_t>(a.pointer[i]);
           k < static_cast<std::size_t>(a.pointer[i + 1]); ++k)
        magnitude += std::abs(a.value[k] * a.x[static_cast<std::size_t>(a.column[k])]);
      const double allowed = 2.23e-16 * magnitude * (a.pointer[i + 1] - a.pointer[i] + 2);
      if (!(std::abs(y.data()[i] - wanted[i]) <= allowed))
        FAIL_CHECK("row " << i << ": " << y.data()[i] << " instead of " << wanted[i]);
    }
  }
  if (!std::equal(a.x.begin(), a.x.end(), x.data())) FAIL_CHECK("x changed");
}

SearchSpace space(const Kernel& kernel) {
  Facts facts = {{"machine_cores", Value(2)},        {"machine_threads", Value(4)},
                 {"machine_numa_nodes", Value(2)},   {"machine_simd_bits", Value(simd_bits())},
                 {"machine_l1_bytes", Value(49152)}, {"machine_l2_bytes", Value(2097152)},
                 {"machine_l3_bytes", Value(0)},     {"machine_huge_pages", Value(true)}};
  // A matrix that lets every knob be active.
  const MemoryProblem problem = solved({{"kind", "arrow"}, {"n", "60"}});
  for (const auto& [name, value] : problem.facts) facts[name] = Value(value);
  facts["fill_2x2"] = facts["fill_4x4"] = Value(1.0);
  return read_space(find_space(kernel, "openmp", home), facts);
}

/// The first words decide; the other knobs take their values in turn, as far as the space allows.
class Variants {
 public:
  Variants()
      : kernel_(find_kernel("spmv", home)), space_(space(kernel_)), matrices_(awkward_matrices()) {}

  void check(const std::map<std::string, Value>& settings) {
    Configuration configuration = space_.baseline();
    for (const auto& [name, value] : settings) configuration.set(name, value);
    REQUIRE(space_.why_not(space_.normalised(configuration)) == "");
    ++turn_;
    for (const Knob& knob : space_.knobs()) {
      if (settings.count(knob.name) != 0) continue;
      Configuration next = configuration;
      next.set(knob.name, knob.values[turn_ % knob.values.size()]);
      if (space_.allowed(space_.normalised(next))) configuration = next;
    }
    configuration = space_.normalised(configuration);
    INFO(configuration.key());
    const BuiltFunction variant(kernel_, space_, &configuration);
    for (const int threads : {1, 3}) {
      INFO(threads << " threads");
      variant.set_openmp(threads, turn_ % 3 == 1 ? "dynamic" : "static",
                         static_cast<int>(turn_ % 2));
      for (const auto& [name, a] : matrices_) {
        if (a.rows != a.cols && configuration.at("reorder").text() != "none") continue;
        INFO("matrix " << name);
        check_product(variant, a, threads == 1 ? Flush::end : Flush::start);
      }
    }
  }

  void check_plain() {
    const BuiltFunction variant(kernel_, space_, nullptr);
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
  std::size_t turn_ = 0;
};

}  // namespace

TEST_CASE("spmv without any knob agrees with the reference") { Variants().check_plain(); }

TEST_CASE("rows with every split, index width and order agree with the reference") {
  Variants variants;
  int width = 0;
  for (const int bits : {32, 16})
    for (const char* split : {"rows", "nonzeros", "merge"})
      for (const char* reorder : {"none", "rcm", "degree"}) {
        const int widths[] = {1, 2, 4, 8};
        const int simd = std::min(widths[width++ % 4], simd_bits() / 64);
        variants.check({{"format", Value("csr")},
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
          variants.check({{"format", Value("csr")},
                          {"index_bits", Value(bits)},
                          {"simd_width", Value(simd)},
                          {"unroll", Value(unrolled)},
                          {"gather", Value("instruction")}});
}

TEST_CASE("chunks with every height, split, index width and order agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int bits : {32, 16})
    for (const char* split : {"rows", "nonzeros"})
      for (const char* reorder : {"none", "rcm", "degree"}) {
        const int heights[] = {4, 8, 16, 32}, windows[] = {1, 32, 0}, limits[] = {0, 2};
        variants.check({{"format", Value("sell")},
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
      variants.check({{"format", Value("sell")},
                      {"chunk_rows", Value(8)},
                      {"chunk_lanes", Value(lanes)},
                      {"gather", Value("instruction")},
                      {"index_bits", Value(16)}});
}

TEST_CASE("register blocks of every height and width agree with the reference") {
  Variants variants;
  int turn = 0;
  for (const int height : {1, 2, 3, 4, 6, 8})
    for (const int width : {1, 2, 3, 4, 6, 8}) {
      // Every height with every width would only repeat what these reach.
      if (height != width && (height + width) % 3 == 0) continue;
      variants.check({{"format", Value("bcsr")},
                      {"block_rows", Value(height)},
                      {"block_cols", Value(width)},
                      {"index_bits", Value(turn % 2 == 0 ? 16 : 32)},
                      {"split", Value(turn++ % 3 == 0 ? "nonzeros" : "rows")}});
    }
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
      {{"format", Value("sell")}, {"reorder", Value("rcm")}}};
  for (const auto& settings : formats) {
    Configuration configuration = variants.search_space().baseline();
    for (const auto& [name, value] : settings) configuration.set(name, value);
    const BuiltFunction variant(variants.kernel(), variants.search_space(), &configuration);
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
