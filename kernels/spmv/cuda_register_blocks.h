// Dense blocks of height x width that cover the entries of a matrix, found on
// the host: each begins at the first entry that the blocks before it leave, at any column.
// x needs width - 1 readable elements beyond its end.
#pragma once
#include "cuda_matrix.h"

namespace spmv_kernel {

struct RegisterBlocks {
  static constexpr std::int64_t size = std::int64_t{height} * width;
  std::int64_t rows = 0;              ///< block rows
  std::vector<std::int64_t> pointer;  ///< [rows + 1]
  std::vector<std::int32_t> column;   ///< [blocks] first column
  std::vector<Stored> value;          ///< [blocks][height][width]

  std::int64_t length(std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return pointer[i + 1] - pointer[i];
  }

  void build(const Csr& a) {
    rows = rooftune::blocks_for(a.rows, height);
    pointer.assign(1, 0);
    column.clear();
    value.clear();
    column.reserve(static_cast<std::size_t>(a.entries()));
    value.reserve(static_cast<std::size_t>(a.entries()));
    for (std::int64_t r = 0; r < rows; ++r) {
      add_row(a, r * height);
      pointer.push_back(static_cast<std::int64_t>(column.size()));
    }
  }

 private:
  void add_row(const Csr& a, std::int64_t first) {
    std::int32_t next[height], end[height];
    for (int i = 0; i < height; ++i) {
      const bool exists = first + i < a.rows;
      next[i] = exists ? a.pointer[first + i] : 0;
      end[i] = exists ? a.pointer[first + i + 1] : 0;
    }
    for (;;) {
      std::int64_t least = a.cols;
      for (std::int64_t i = 0; i < height; ++i)
        if (next[i] < end[i] && a.column[next[i]] < least) least = a.column[next[i]];
      if (least == a.cols) return;
      column.push_back(static_cast<std::int32_t>(least));
      const std::size_t start = value.size();
      value.resize(start + static_cast<std::size_t>(size));
      for (std::int64_t i = 0; i < height; ++i)
        for (; next[i] < end[i] && a.column[next[i]] < least + width; ++next[i])
          value[start + static_cast<std::size_t>(i * width + a.column[next[i]] - least)] +=
              static_cast<Stored>(a.value[next[i]]);
    }
  }
};

}  // namespace spmv_kernel
