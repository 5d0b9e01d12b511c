// Sparse matrix times vector, serial: y = A x with the rows of A one after the other (CSR).
// The caller provides row_pointer[rows + 1], column and value [row_pointer[rows]], x[cols],
// y[rows].
#include <cstdint>

void spmv(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const std::int32_t* row_pointer,
          const std::int32_t* column, const double* value, const double* x, double* y) {
  (void)cols;
  (void)nnz;
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int32_t k = row_pointer[i]; k < row_pointer[i + 1]; ++k)
      sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}
