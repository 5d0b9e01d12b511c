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
  Array<std::int32_t> column;         ///< [blocks] first column
  Array<Stored> value;                ///< [blocks][height][width]

  std::int64_t length(std::int64_t row) const {
    const auto i = static_cast<std::size_t>(row);
    return pointer[i + 1] - pointer[i];
  }

  /// All threads of the host: rows are counted first, then filled.
  void build(const Csr& a) {
    rows = rooftune::blocks_for(a.rows, height);
    pointer.assign(static_cast<std::size_t>(rows + 1), 0);
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < rows; ++r)
      pointer[static_cast<std::size_t>(r + 1)] = each_block(
          a, r, [](auto...) {}, [](auto...) {});
    for (std::size_t r = 1; r < pointer.size(); ++r) pointer[r] += pointer[r - 1];
    column.make(pointer.back());
    value.make(pointer.back() * size);
#pragma omp parallel for schedule(static)
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t first = pointer[static_cast<std::size_t>(r)];
      each_block(
          a, r,
          [&](std::int64_t k, std::int64_t start) {
            column[first + k] = static_cast<std::int32_t>(start);
          },
          [&](std::int64_t k, std::int64_t element, double entry) {
            value[(first + k) * size + element] += static_cast<Stored>(entry);
          });
    }
  }

 private:
  /// begin(block, its first column), then entry(block, element, value) for what lies in it, for the
  /// blocks of a block row; returns how many there are.
  template <class Begin, class Entry>
  static std::int64_t each_block(const Csr& a, std::int64_t row, const Begin& begin,
                                 const Entry& entry) {
    const std::int64_t first = row * height;
    std::int32_t next[height], end[height];
    for (int i = 0; i < height; ++i) {
      const bool exists = first + i < a.rows;
      next[i] = exists ? a.pointer[first + i] : 0;
      end[i] = exists ? a.pointer[first + i + 1] : 0;
    }
    for (std::int64_t k = 0;; ++k) {
      std::int64_t least = a.cols;
      for (std::int64_t i = 0; i < height; ++i)
        if (next[i] < end[i] && a.column[next[i]] < least) least = a.column[next[i]];
      if (least == a.cols) return k;
      begin(k, least);
      for (std::int64_t i = 0; i < height; ++i)
        for (; next[i] < end[i] && a.column[next[i]] < least + width; ++next[i])
          entry(k, i * width + a.column[next[i]] - least, a.value[next[i]]);
    }
  }
};

}  // namespace spmv_kernel
