// A sparse matrix on the host, its rows, and what every layout of it copies to the card.
// The caller owes ascending columns in each row; host code only.
#pragma once
#include <cstdint>
#include <vector>

#include "cuda_loads.h"

namespace spmv_cuda {

/// Rows as the caller or the reordering has them.
struct Matrix {
  std::int64_t rows, cols;
  const std::int32_t* pointer;
  const std::int32_t* column;
  const double* value;
  std::int64_t entries() const { return pointer[rows]; }
  std::int64_t length(std::int64_t row) const { return pointer[row + 1] - pointer[row]; }
};

/// Entries that a load of a pair may touch beyond the last one.
constexpr std::int64_t beyond = 2;

/// The arrays of CSR on the card.
struct CardRows {
  rooftune::DeviceBuffer<Int32> pointer, column;
  rooftune::DeviceBuffer<Stored> value;

  void copy(const Matrix& a) {
    pointer.copy_in(a.pointer, a.rows + 1);
    copy_padded(column, a.column, a.entries(), beyond);
    copy_values(a.value, a.entries());
  }
  void copy_values(const double* from, std::int64_t count) {
    const std::vector<Stored> stored(from, from + count);
    copy_padded(value, stored.data(), count, beyond);
  }
};

template <class T>
inline void copy_vector(rooftune::DeviceBuffer<T>& buffer, const std::vector<T>& from) {
  buffer.copy_in(from.data(), static_cast<std::int64_t>(from.size()));
}

}  // namespace spmv_cuda
