// What every product with a matrix obeys, whatever its layout: columns, row sums, linearity,
// symmetry, and indifference to the order of rows and columns.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "built_function.h"
#include "guarded_array.h"
#include "spmv_matrices.h"

using namespace rooftune;
using namespace rooftune::testing;

namespace {

using Vector = std::vector<double>;

/// One variant of each layout, by the knobs that make it.
const std::vector<std::map<std::string, Value>> layouts = {
    {{"simd_width", Value(2)}, {"split", Value("merge")}, {"index_bits", Value(16)}},
    {{"band_columns", Value(4096)}, {"value_bits", Value(32)}},
    {{"format", Value("sell")}, {"index_bits", Value(8)}, {"split", Value("merge")}},
    {{"format", Value("sell")}, {"index_bits", Value(16)}, {"reorder", Value("rcm")}},
    {{"format", Value("bcsr")}, {"block_rows", Value(3)}, {"block_cols", Value(2)}},
    {{"format", Value("tiles")}, {"tile_steps", Value(8)}},
    {{"half", Value(true)}, {"index_bits", Value(16)}, {"split", Value("nonzeros")}},
    {{"half", Value(true)}, {"format", Value("bcsr")}, {"block_rows", Value(2)}}};

/// body(variant, whether its rows keep their order) for every layout.
template <class Body>
void each_variant(const std::vector<std::string>& flags, const Body& body) {
  const Kernel kernel = find_kernel("spmv", ROOFTUNE_SOURCE_DIR);
  const SearchSpace space = whole_space(kernel);
  for (const auto& settings : layouts) {
    Configuration configuration = space.baseline();
    for (const auto& [name, value] : settings) configuration.set(name, value);
    configuration = space.normalised(configuration);
    REQUIRE(space.why_not(configuration) == "");
    INFO(configuration.key());
    const BuiltFunction variant(kernel, space, configuration, flags);
    variant.set_openmp(3, "static", 0);
    body(variant, settings.count("reorder") == 0);
  }
}

/// body(multiply) for every layout.
template <class Body>
void each_layout(const Body& body) {
  each_variant({}, [&](const BuiltFunction& variant, bool) {
    body([&](Sparse a, const Vector& x) {
      a.x = x;
      return product_of(variant, a, Flush::end, 1);
    });
  });
}

Vector numbers(std::int64_t count, std::uint64_t seed) {
  NumberSource source(seed);
  Vector result(static_cast<std::size_t>(count));
  for (double& value : result) value = source.value();
  return result;
}

double dot(const Vector& u, const Vector& v) {
  return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
}

/// Products of the small fractions of the tests are exact in double precision: so are their sums.
Vector combined(double s, const Vector& u, double t, const Vector& v) {
  Vector result(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) result[i] = s * u[i] + t * v[i];
  return result;
}

/// Row and column i of the result are row and column order[i] of `a`.
Sparse permuted(const Sparse& a, const std::vector<std::size_t>& order) {
  std::vector<std::int32_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int32_t>(i);
  Sparse result;
  result.rows = result.cols = a.rows;
  for (const std::size_t old : order) {
    std::map<std::int32_t, double> row;
    for (auto k = static_cast<std::size_t>(a.pointer[old]);
         k < static_cast<std::size_t>(a.pointer[old + 1]); ++k)
      row[place[static_cast<std::size_t>(a.column[k])]] = a.value[k];
    for (const auto& [column, value] : row) {
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.pointer.push_back(static_cast<std::int32_t>(result.column.size()));
  }
  return result;
}

template <class Multiply>
void check_sums_and_columns(const Multiply& multiply) {
  const Sparse a = symmetric_matrices().at("blocks of 3");
  const Vector dense = a.dense();
  const auto n = static_cast<std::size_t>(a.rows);
  const Vector sums = multiply(a, Vector(n, 1.0));
  for (std::size_t i = 0; i < n; ++i)
    CHECK(sums[i] == std::accumulate(dense.begin() + static_cast<std::ptrdiff_t>(i * n),
                                     dense.begin() + static_cast<std::ptrdiff_t>((i + 1) * n),
                                     0.0));
  for (const std::size_t j : {std::size_t{0}, n / 2, n - 1}) {
    Vector unit(n, 0.0);
    unit[j] = 1;
    const Vector column = multiply(a, unit);
    for (std::size_t i = 0; i < n; ++i) CHECK(column[i] == dense[i * n + j]);
  }
}

template <class Multiply>
void check_linear_and_symmetric(const Multiply& multiply) {
  for (const char* name : {"scattered", "arrow down", "last block"}) {
    INFO(name);
    const Sparse a = symmetric_matrices().at(name);
    const Vector u = numbers(a.rows, 1), v = numbers(a.rows, 2);
    const Vector au = multiply(a, u), av = multiply(a, v);
    CHECK(multiply(a, combined(2, u, -0.5, v)) == combined(2, au, -0.5, av));
    CHECK(dot(u, av) == dot(v, au));
  }
}

template <class Multiply>
void check_other_order(const Multiply& multiply) {
  const Sparse a = symmetric_matrices().at("scattered");
  const Vector x = numbers(a.rows, 3);
  std::vector<std::size_t> order(x.size());
  NumberSource source(9);
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i],
              order[static_cast<std::size_t>(source.below(static_cast<std::int64_t>(i) + 1))]);
  Vector x_there(x.size());
  for (std::size_t i = 0; i < order.size(); ++i) x_there[i] = x[order[i]];
  const Sparse there = permuted(a, order);
  const Vector y = multiply(a, x), y_there = multiply(there, x_there);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(y_there[i] == y[order[i]]);
}

/// y = alpha A x + beta y by a variant of a library, again with other values of A.
void check_further(const BuiltFunction& variant, Sparse a, bool in_order) {
  std::int64_t rows = a.rows, cols = a.cols, entries = a.entries();
  Vector product = a.product(), y = numbers(rows, 4), before = y;
  void* prepared[] = {&rows,           &cols,          &entries,   a.pointer.data(),
                      a.column.data(), a.value.data(), a.x.data(), y.data()};
  variant.prepare(prepared);
  double alpha = 2, beta = -0.5, none = 0;
  double *x = a.x.data(), *into = y.data();
  void* with_both[] = {&alpha, &x, &beta, &into};
  void* without_beta[] = {&alpha, &x, &none, &into};
  CHECK(variant.further("multiply", with_both) == in_order);
  if (!in_order) return;
  CHECK(y == combined(alpha, product, beta, before));
  std::fill(y.begin(), y.end(), std::nan(""));
  CHECK(variant.further("multiply", without_beta));
  CHECK(y == combined(alpha, product, 0, product));
  Vector twice = combined(2, a.value, 0, a.value);
  double* value = twice.data();
  void* updated[] = {&value};
  CHECK(variant.further("update", updated));
  CHECK(variant.further("multiply", without_beta));
  CHECK(y == combined(2 * alpha, product, 0, product));
}

}  // namespace

TEST_CASE("every layout of a library takes any vectors, alpha and beta, and other values") {
  const auto check = [](const BuiltFunction& variant, bool in_order) {
    for (const auto& [name, a] : symmetric_matrices()) {
      INFO(name);
      check_further(variant, a, in_order);
    }
  };
  each_variant({"-DROOFTUNE_LIBRARY"}, check);
#if defined(__x86_64__)
  // With narrower vectors than the knobs were chosen on.
  each_variant({"-DROOFTUNE_LIBRARY", "-march=x86-64-v2"}, check);
#endif
}

TEST_CASE(
    "every layout of spmv has sums, columns and symmetry of its matrix, is linear and keeps "
    "order") {
  each_layout([](const auto& multiply) {
    check_sums_and_columns(multiply);
    check_linear_and_symmetric(multiply);
    check_other_order(multiply);
  });
}
