// Eigen's product of a row-major sparse matrix, on the caller's arrays.
#include <Eigen/SparseCore>

void spmv(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> matrix(rows, cols, nnz, row_pointer, column, value);
  const Eigen::Map<const Eigen::VectorXd> in(x, cols);
  Eigen::Map<Eigen::VectorXd> out(y, rows);
  out.noalias() = matrix * in;
}
