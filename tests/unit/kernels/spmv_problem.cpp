// The problem of a test in memory, and kernels/spmv/problem.cpp and reference.cpp called on it.
// The caller links both sources.
#include "spmv_problem.h"

void spmv(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y);

namespace rooftune::testing {

std::vector<double> Sparse::dense() const {
  std::vector<double> all(static_cast<std::size_t>(rows * cols), 0.0);
  for (std::int64_t i = 0; i < rows; ++i)
    for (auto k = static_cast<std::size_t>(pointer[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(pointer[static_cast<std::size_t>(i) + 1]); ++k)
      all[static_cast<std::size_t>(i * cols + column[k])] += value[k];
  return all;
}

std::vector<double> Sparse::product() const {
  std::vector<double> y(static_cast<std::size_t>(rows), -1.0);
  spmv(rows, cols, entries(), pointer.data(), column.data(), value.data(), x.data(), y.data());
  return y;
}

Sparse loaded(const MemoryProblem& problem) {
  Sparse a;
  a.rows = problem.fact("rows");
  a.cols = problem.fact("cols");
  a.pointer = problem.integers.at("row_pointer");
  a.column = problem.integers.at("column");
  a.value = problem.reals.at("value");
  a.x = problem.reals.at("x");
  return a;
}

MemoryProblem solved(const Parameters& parameters) {
  return made(parameters,
              {{"matrix", ""}, {"kind", "fem3d"}, {"n", "0"}, {"sized_for", "cpu"}, {"seed", "1"}});
}

MemoryProblem solved_text(const std::string& text) {
  return from_file(text, [](const std::string& path) { return solved({{"matrix", path}}); });
}

}  // namespace rooftune::testing
