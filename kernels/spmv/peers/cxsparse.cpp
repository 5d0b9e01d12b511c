// CXSparse stores columns and adds to y; the conversion is not part of the time.
#include <cs.h>

#include <algorithm>
#include <cstdint>

static cs_di* matrix = nullptr;

void spmv_prepare(std::int64_t rows, std::int64_t cols, std::int64_t nnz,
                  const std::int32_t* row_pointer, const std::int32_t* column, const double* value,
                  const double*, double*) {
  cs_di* triplets =
      cs_di_spalloc(static_cast<int>(rows), static_cast<int>(cols), static_cast<int>(nnz), 1, 1);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int32_t k = row_pointer[i]; k < row_pointer[i + 1]; ++k)
      cs_di_entry(triplets, static_cast<int>(i), column[k], value[k]);
  // cs_entry enlarges the matrix when it meets larger indices, not when the last rows are empty.
  triplets->m = static_cast<int>(rows);
  triplets->n = static_cast<int>(cols);
  if (matrix) cs_di_spfree(matrix);
  matrix = cs_di_compress(triplets);
  cs_di_spfree(triplets);
}

void spmv(std::int64_t rows, std::int64_t, std::int64_t, const std::int32_t*, const std::int32_t*,
          const double*, const double* x, double* y) {
  std::fill(y, y + rows, 0.0);
  cs_di_gaxpy(matrix, x, y);
}
