// A sparse matrix by rows (CSR): what everything here is made from.
#pragma once
#include <cstdint>

namespace spmv_kernel {

/// Owns nothing. Columns ascend in each row.
struct Csr {
  std::int64_t rows = 0, cols = 0;
  const std::int32_t* pointer = nullptr;  ///< [rows + 1]
  const std::int32_t* column = nullptr;   ///< [entries]
  const double* value = nullptr;          ///< [entries]

  std::int64_t entries() const { return pointer[rows]; }
  std::int64_t length(std::int64_t row) const { return pointer[row + 1] - pointer[row]; }
};

}  // namespace spmv_kernel
