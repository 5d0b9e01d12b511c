// The input of spmv: a Matrix Market file or a seeded matrix, the vector x, what the validation
// allows, and the facts from which work, traffic and defaults of the search space follow.
#include "rooftune/problem.h"

#include <cmath>
#include <cstring>
#include <string>

#include "generators.h"
#include "matrix_facts.h"
#include "matrix_market.h"

namespace spmv_kernel {
namespace {

using rooftune::Problem;

Target allocate(Problem& p, const Shape& shape) {
  check_size(p, static_cast<double>(shape.rows), static_cast<double>(shape.cols),
             static_cast<double>(shape.entries), 0, "--problem n");
  return {p.int32("row_pointer", shape.rows + 1), p.int32("column", shape.entries),
          p.float64("value", shape.entries)};
}

Csr view(const Shape& shape, const Target& target) {
  return {shape.rows, shape.cols, target.pointer, target.column, target.value};
}

Csr stored(Problem& p, const Rows& a) {
  const auto entries = static_cast<std::int64_t>(a.column.size());
  const Shape shape{a.rows, a.cols, entries};
  const Target target = {p.int32("row_pointer", shape.rows + 1), p.int32("column", entries),
                         p.float64("value", entries)};
  std::copy(a.pointer.begin(), a.pointer.end(), target.pointer);
  std::copy(a.column.begin(), a.column.end(), target.column);
  std::copy(a.value.begin(), a.value.end(), target.value);
  return view(shape, target);
}

Csr grid(Problem& p, std::int64_t nx, std::int64_t ny, std::int64_t nz, bool faces_only,
         int unknowns) {
  const Grid g{nx, ny, nz, faces_only, unknowns};
  // Before the product of the edges can overflow.
  check_size(p,
             static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz) * unknowns,
             1, 0, 0, "--problem n");
  const Shape shape = g.shape();
  const Target target = allocate(p, shape);
  write_grid(g, target);
  return view(shape, target);
}

/// n edges or rows, 0 for the size at which the matrix no longer fits a usual cache; for a GPU the
/// one at which its product takes as long as some fifty launches.
std::int64_t size(Problem& p, std::int64_t of_cpu, std::int64_t of_gpu) {
  const std::int64_t usual = std::string(p.text("sized_for")) == "gpu" ? of_gpu : of_cpu;
  const std::int64_t n = p.integer("n");
  if (n < 0) refuse(p, "n is negative", "--problem n", "0 takes the usual size of the kind");
  return n == 0 ? usual : n;
}

Csr powerlaw(Problem& p, std::uint64_t seed) {
  const std::int64_t scale = size(p, 18, 21);
  if (scale > 26)
    refuse(p, "a power-law graph of 2^" + std::to_string(scale) + " vertices has too many edges",
           "--problem n",
           "for kind=powerlaw, n is the base-2 logarithm of the vertices, at most 26");
  const double edges = 16 * std::pow(2.0, static_cast<double>(scale));
  check_size(p, edges / 16, edges / 16, edges, edges, "--problem n");
  return stored(p, assemble(rmat(static_cast<int>(scale), seed)));
}

Csr generated(Problem& p) {
  const std::string kind = p.text("kind");
  const auto seed = static_cast<std::uint64_t>(p.integer("seed"));
  if (kind == "powerlaw") return powerlaw(p, seed);
  if (kind == "laplace2d") {
    const std::int64_t n = size(p, 1800, 5100);
    return grid(p, n, n, 1, true, 1);
  }
  if (kind == "laplace3d") {
    const std::int64_t n = size(p, 140, 280);
    return grid(p, n, n, n, true, 1);
  }
  if (kind == "stencil27") {
    const std::int64_t n = size(p, 88, 176);
    return grid(p, n, n, n, false, 1);
  }
  if (kind == "fem3d") {
    const std::int64_t n = size(p, 42, 88);
    return grid(p, n, n, n, false, 3);
  }
  if (kind == "banded") {
    const std::int64_t n = size(p, 500000, 4000000);
    const auto rows = static_cast<double>(n);
    check_size(p, rows, rows, 16 * rows, 16 * rows, "--problem n");
    return stored(p, assemble(banded(n, seed)));
  }
  if (kind == "arrow" || kind == "dense") {
    const bool arrow = kind == "arrow";
    const std::int64_t n = arrow ? size(p, 4000000, 32000000) : size(p, 4000, 11300);
    check_size(p, static_cast<double>(n), 1, 0, 0, "--problem n");
    const Shape shape{n, n, arrow ? 3 * n - 2 : n * n};
    const Target target = allocate(p, shape);
    arrow ? write_arrow(n, seed, target) : write_dense(n, seed, target);
    return view(shape, target);
  }
  refuse(p, "unknown kind \"" + kind + "\"", "--problem kind",
         "fem3d laplace2d laplace3d stencil27 powerlaw banded arrow dense");
}

/// x in [-1, 1), and per row what the rounding of one product may be: with k entries,
/// |computed - exact| <= gamma_k (|A| |x|)_i (Higham, Accuracy and Stability, section 3.5), for the
/// variant and for the reference, so the manifest's factor is 2 u.
void add_vectors(Problem& p, const Csr& a, std::uint64_t seed) {
  double* x = p.float64("x", a.cols);
  double* scale = p.float64("y_scale", a.rows);
  RandomStream random(seed ^ 0x5bd1e995u);
  for (std::int64_t j = 0; j < a.cols; ++j) x[j] = 2 * random.unit() - 1;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k)
      sum += std::abs(a.value[k] * x[a.column[k]]);
    scale[i] = sum * (a.pointer[i + 1] - a.pointer[i] + 2);
  }
}

void set_facts(Problem& p, const Csr& a) {
  const MatrixFacts facts = matrix_facts(a);
  p.set("rows", a.rows);
  p.set("cols", a.cols);
  p.set("nnz", a.entries());
  p.set("max_row", facts.max_row);
  p.set("mean_row", facts.mean_row);
  p.set("row_variation", facts.row_variation);
  p.set("nonempty_rows", facts.nonempty_rows);
  p.set("used_cols", facts.used_cols);
  p.set("bandwidth", facts.bandwidth);
  p.set("dense_rows", facts.dense_rows);
  p.set("symmetric", std::int64_t{facts.symmetric});
  p.set("single_values", std::int64_t{facts.single_values});
  for (int k = 1; k < side_count; ++k) {
    const std::string side = std::to_string(block_sides[k]);
    p.set(("fill_" + side + "x" + side).c_str(), facts.fill(k, a.entries()));
  }
  p.set("best_block_rows", std::int64_t{facts.best_block_rows});
  p.set("best_block_cols", std::int64_t{facts.best_block_cols});
  p.set("blocked_bytes", facts.blocked_bytes);
  p.set("full_matrix_bytes", facts.full_matrix_bytes);
  p.set("least_matrix_bytes", facts.least_matrix_bytes);
}

}  // namespace
}  // namespace spmv_kernel

extern "C" void problem(rooftune::Problem& p) {
  const char* path = p.text("matrix");
  spmv_kernel::Csr a;
  if (path != nullptr && *path != '\0') {
    spmv_kernel::MatrixMarketReader reader(p, path);
    a = spmv_kernel::stored(p, spmv_kernel::assemble(reader.read()));
    if (a.entries() == 0)
      refuse(p, "this matrix has no entries: there is nothing to multiply", path,
             "name a matrix with entries");
  } else {
    a = spmv_kernel::generated(p);
  }
  spmv_kernel::add_vectors(p, a, static_cast<std::uint64_t>(p.integer("seed")));
  spmv_kernel::set_facts(p, a);
}
