// The matrices of the sparse tests.
#include "spmv_matrices.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "built_function.h"
#include "guarded_array.h"
#include "space/space_reader.h"
#include "variant_sample.h"

namespace rooftune::testing {
namespace {

/// `columns(i)` gives the columns of row i in any order, also twice.
template <class Columns>
Sparse sparse(std::int64_t rows, std::int64_t cols, const Columns& columns) {
  NumberSource numbers(static_cast<std::uint64_t>(rows * 1000003 + cols));
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

Columns random_columns(NumberSource& numbers, std::int64_t count, std::int64_t cols) {
  Columns columns;
  for (std::int64_t k = 0; k < count; ++k) columns.push_back(numbers.below(cols));
  return columns;
}

Columns range(std::int64_t low, std::int64_t high) {
  Columns columns;
  for (std::int64_t j = low; j < high; ++j) columns.push_back(j);
  return columns;
}

/// Entries (i, j) for which `pair(i, j)` holds, i >= j, and their mirror images.
template <class Pair>
Sparse symmetric(std::int64_t n, const Pair& pair) {
  Sparse a = sparse(n, n, [&](std::int64_t i) {
    Columns columns;
    for (std::int64_t j = 0; j < n; ++j)
      if (pair(std::max(i, j), std::min(i, j))) columns.push_back(j);
    return columns;
  });
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int32_t k = a.pointer[static_cast<std::size_t>(i)];
         k < a.pointer[static_cast<std::size_t>(i) + 1]; ++k) {
      const std::int64_t j = a.column[static_cast<std::size_t>(k)];
      a.value[static_cast<std::size_t>(k)] =
          static_cast<double>((std::max(i, j) * 37 + std::min(i, j) * 11) % 201 - 100) / 64;
    }
  return a;
}

}  // namespace

Matrices small_matrices() {
  NumberSource n(7);
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

Matrices awkward_matrices() {
  Matrices all = small_matrices();
  NumberSource n(11);
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

Matrices symmetric_matrices() {
  Matrices all;
  all["0 x 0"] = symmetric(0, [](auto, auto) { return false; });
  all["1 x 1"] = symmetric(1, [](auto, auto) { return true; });
  all["2 x 2 without diagonal"] = symmetric(2, [](auto i, auto j) { return i != j; });
  all["7 x 7 dense"] = symmetric(7, [](auto, auto) { return true; });
  all["61 empty"] = symmetric(61, [](auto, auto) { return false; });
  all["diagonal"] = symmetric(50, [](auto i, auto j) { return i == j; });
  all["tridiagonal"] = symmetric(301, [](auto i, auto j) { return i - j < 2; });
  all["arrow up"] = symmetric(130, [](auto i, auto j) { return j == 0 || i == j; });
  all["arrow down"] = symmetric(131, [](auto i, auto j) { return i == 130 || i == j; });
  all["last block"] = symmetric(53, [](auto i, auto j) { return j >= 50 || i == j; });
  all["blocks of 3"] = symmetric(159, [](auto i, auto j) { return (i / 3 - j / 3) % 7 < 2; });
  all["scattered"] =
      symmetric(517, [](auto i, auto j) { return ((i * 2654435761 ^ j * 40503) >> 7) % 40 == 0; });
  return all;
}

SearchSpace whole_space(const Kernel& kernel) {
  Facts facts = {{"machine_threads", Value(4)}, {"machine_numa_nodes", Value(2)}};
  // A matrix that lets every knob be active.
  const MemoryProblem problem = solved({{"kind", "arrow"}, {"n", "60"}});
  for (const auto& [name, value] : problem.facts) facts[name] = Value(value);
  facts["fill_2x2"] = facts["fill_4x4"] = Value(1.0);
  facts["symmetric"] = facts["single_values"] = Value(1);
  facts["cols"] = facts["rows"] = Value(200000);
  return read_space(find_space(kernel, "openmp", ROOFTUNE_SOURCE_DIR), on_small_machine(facts));
}

std::vector<double> product_of(const BuiltFunction& variant, const Sparse& a, Flush flush,
                               int calls) {
  const auto rows_count = static_cast<std::size_t>(a.rows);
  const GuardedArray x(a.x.size(), flush), y(rows_count, flush), value(a.value.size(), flush);
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
  for (int call = 1; call <= calls; ++call) {
    std::fill_n(y.data(), rows_count, std::nan(""));
    variant.call(arguments);
    variant.finish(arguments);
  }
  if (!std::equal(a.x.begin(), a.x.end(), x.data())) throw std::runtime_error("x changed");
  return std::vector<double>(y.data(), y.data() + rows_count);
}

}  // namespace rooftune::testing
