// Formats that the values of a matrix allow: a triangle may be left out, single precision may hold
// them. The caller gives rows with ascending, distinct columns.
#pragma once
#include "csr.h"

namespace spmv_kernel {

/// Positions and values mirror at the diagonal, exactly. `next`: room for a number per row.
inline bool is_symmetric(const Csr& a, std::int32_t* next) {
  if (a.rows != a.cols) return false;
  for (std::int64_t i = 0; i < a.rows; ++i) next[i] = a.pointer[i];
  // Row by row, the entries of column i must come up in order: row j of the mirror continues at
  // next[j].
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k) {
      const std::int32_t j = a.column[k];
      const std::int32_t mirror = next[j]++;
      if (mirror >= a.pointer[j + 1] || a.column[mirror] != i || a.value[mirror] != a.value[k])
        return false;
    }
  return true;
}

inline bool fit_single(const Csr& a) {
  for (std::int64_t k = 0; k < a.entries(); ++k)
    if (static_cast<double>(static_cast<float>(a.value[k])) != a.value[k]) return false;
  return true;
}

}  // namespace spmv_kernel
