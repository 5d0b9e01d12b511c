// Register blocks (BCSR): dense height x width pieces whose products stay in registers. Block rows
// start at multiples of the height, blocks at any column; missing entries are stored as zeros. The
// caller gives rows with ascending columns.
#pragma once
#include <cstdint>

#include "array.h"
#include "column_store.h"
#include "csr.h"
#include "lanes.h"
#include "path.h"
#include "share.h"

namespace spmv_kernel {

class Bcsr {
 public:
  static constexpr int height = KNOB_BLOCK_ROWS, width = KNOB_BLOCK_COLS;
  /// Lanes of a block column: the power of two that holds the height.
  static constexpr int lanes = height <= 2 ? height : height <= 4 ? 4 : 8;
  /// A single row has its lanes along the row instead, when whole vectors fill it.
  static constexpr bool along_row = height == 1 && (width == 2 || width == 4 || width == 8);
  /// Vectors of the instruction set, and how many make the lanes.
  static constexpr int L = vector_lanes(along_row ? width : lanes);
  static constexpr int pieces = (along_row ? width : lanes) / L;

  void build(const Csr& a, int threads) {
    rows_ = a.rows;
    cols_ = a.cols;
    count_ = (a.rows + height - 1) / height;
    pointer_.make(count_ + 1);
    columns_.start(count_);
    for (std::int64_t b = 0; b < count_; ++b) {
      std::int32_t low = 0, high = 0;
      std::int64_t blocks = 0;
      each_block(a, b, [&](std::int32_t start, const std::int64_t*) {
        if (blocks++ == 0) low = high = start;
        if (start < low) low = start;
        if (start > high) high = start;
      });
      pointer_[b + 1] = static_cast<std::int32_t>(pointer_[b] + blocks);
      columns_.unit(b, low, high, blocks);
    }
    const std::int64_t blocks = pointer_[count_];
    shares.cut(threads, count_, [&](std::int64_t b) { return std::int64_t{pointer_[b]}; });
    path.cut(threads, count_, [&](std::int64_t b) { return std::int64_t{pointer_[b]}; });
    value_.make(blocks * height * width);
    columns_.make(blocks);
    fill(count_, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t b = from; b < to; ++b) copy_block_row(a, b);
    });
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(value_);
  }

  std::int64_t count() const { return count_; }

  template <class Y>
  void multiply(std::int64_t from, std::int64_t to, const double* x, Y y) const {
    with_whole_x(x, [&](const double* whole_x) {
      for (std::int64_t b = from; b < to; ++b) {
        double sums[height];
        part(b, pointer_[b], pointer_[b + 1], whole_x, sums);
        put_rows(b, sums, y);
      }
    });
  }

  /// Share t of the merge path.
  template <class Y>
  void multiply_path(int t, const double* x, Y y) const {
    const auto position = [&](std::int64_t b) { return std::int64_t{pointer_[b]}; };
    with_whole_x(x, [&](const double* whole_x) {
      path.multiply(
          t, count_, position,
          [&](std::int64_t b, std::int64_t from) {
            double sums[height];
            part(b, from, pointer_[b + 1], whole_x, sums);
            put_rows(b, sums, y);
          },
          [&](std::int64_t b, std::int64_t from, std::int64_t to, double* sums) {
            part(b, from, to, whole_x, sums);
          });
    });
  }

  template <class Y>
  void fix_up(Y y) const {
    path.fix_up(
        count_, [&](std::int64_t b) { return std::int64_t{pointer_[b]}; },
        [&](std::int64_t b, const double* sums) {
          for (std::int64_t r = 0; r < rows_in(b); ++r) add(y + b * height + r, sums[r]);
        });
  }

  /// body(v, column) for every block of block row b: its values, column by column, and where it
  /// starts.
  template <class Body>
  ROOFTUNE_INLINE void blocks_of(std::int64_t b, const Body& body) const {
    const std::int64_t first = pointer_[b], end = pointer_[b + 1];
    const auto columns = columns_.view();
    for (std::int64_t k = first; k < end; ++k)
      body(value_.at + k * height * width, columns.at(b, k, k - first));
  }

  Shares shares;
  UnitPath<height> path;

 private:
  std::int64_t rows_in(std::int64_t b) const {
    return rows_ - b * height < height ? rows_ - b * height : height;
  }

  /// A matrix narrower than a block: the missing x are zeros, like the values that meet them.
  template <class Body>
  void with_whole_x(const double* x, const Body& body) const {
    double padded[width] = {};
    if (cols_ >= width) return body(x);
    for (std::int64_t j = 0; j < cols_; ++j) padded[j] = x[j];
    body(static_cast<const double*>(padded));
  }

  /// The sums of the blocks [from, to) of block row b.
  ROOFTUNE_INLINE void part(std::int64_t b, std::int64_t from, std::int64_t to, const double* x,
                            double* sums) const {
    const Stored* v = value_.at + from * height * width;
    columns_.view().visit(
        b, from, from - pointer_[b],
        [&](const auto* c, std::int64_t origin, bool apart) __attribute__((always_inline)) {
          const std::int64_t safe = (apart ? to : std::int64_t{pointer_[count_]}) - from;
          block_row(v, c, to - from, x + origin, safe, sums);
        });
  }

  template <class Y>
  ROOFTUNE_INLINE void put_rows(std::int64_t b, const double* sums, Y y) const {
    const Y target = y + b * height;
    if (rows_ - b * height >= height) {
#pragma GCC unroll 8
      for (int r = 0; r < height; ++r) put(target + r, sums[r]);
    } else {
      for (std::int64_t r = 0; r < rows_in(b); ++r) put(target + r, sums[r]);
    }
  }

  template <class Body>
  static void each_block(const Csr& a, std::int64_t b, const Body& body) {
    std::int64_t next[height], end[height];
    for (int r = 0; r < height; ++r) {
      const std::int64_t row = b * height + r;
      next[r] = row < a.rows ? a.pointer[row] : 0;
      end[r] = row < a.rows ? a.pointer[row + 1] : 0;
    }
    for (;;) {
      std::int64_t start = a.cols;
      for (int r = 0; r < height; ++r)
        if (next[r] < end[r] && a.column[next[r]] < start) start = a.column[next[r]];
      if (start == a.cols) return;
      // The last block must not read beyond x.
      if (start > a.cols - width) start = a.cols < width ? 0 : a.cols - width;
      body(static_cast<std::int32_t>(start), next);
      for (int r = 0; r < height; ++r)
        while (next[r] < end[r] && a.column[next[r]] < start + width) ++next[r];
    }
  }

  void copy_block_row(const Csr& a, std::int64_t b) {
    std::int64_t slot = pointer_[b];
    each_block(a, b, [&](std::int32_t start, const std::int64_t* next) {
      for (int r = 0; r < height; ++r) {
        const std::int64_t row = b * height + r;
        if (row >= a.rows) continue;
        for (std::int64_t e = next[r]; e < a.pointer[row + 1] && a.column[e] < start + width; ++e)
          value_[slot * height * width + (a.column[e] - start) * height + r] =
              static_cast<Stored>(a.value[e]);
      }
      columns_.put(b, slot, slot - pointer_[b], start);
      ++slot;
    });
  }

  /// Adds the block at v, x to the sums; block columns are `height` values each, one after the
  /// other. Lanes beyond the height multiply the neighbouring column: nobody looks at them.
  static ROOFTUNE_INLINE void add_block(const Stored* v, const double* x, Vector<L>* part_sum) {
#pragma GCC unroll 8
    for (int p = 0; p < pieces; ++p) {
      if constexpr (along_row) {
        part_sum[p] += values<L>(v + p * L) * load<L>(x + p * L);
      } else {
#pragma GCC unroll 8
        for (int j = 0; j < width; ++j)
          part_sum[j * pieces + p] += values<L>(v + j * height + p * L) * x[j];
      }
    }
  }

  /// Up to `safe` blocks from c may be read for prefetching x.
  template <class Index>
  static ROOFTUNE_INLINE void block_row(const Stored* v, const Index* c, std::int64_t blocks,
                                        const double* x, std::int64_t safe, double* result) {
    constexpr int size = height * width;
    constexpr std::int64_t ahead = (KNOB_PREFETCH + size - 1) / size;
    constexpr int sums = (along_row ? 1 : width) * pieces;
    Vector<L> part_sum[unroll * sums] = {};
    std::int64_t k = 0;
    for (; k + unroll <= blocks; k += unroll) {
      if (KNOB_PREFETCH > 0) {
        for (int line = 0; line < size * unroll; line += 8)
          prefetch_ahead(v + k * size + line, KNOB_PREFETCH);
        prefetch_ahead(c + k, ahead);
      }
      if (KNOB_PREFETCH_X && k + unroll + ahead <= safe)
        for (int u = 0; u < unroll; ++u) __builtin_prefetch(x + c[k + u + ahead]);
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u)
        add_block(v + (k + u) * size, x + c[k + u], part_sum + u * sums);
    }
    if constexpr (unroll > 1)
      for (; k < blocks; ++k) add_block(v + k * size, x + c[k], part_sum);
#pragma GCC unroll 64
    for (int s = pieces; s < unroll * sums; ++s) part_sum[s % pieces] += part_sum[s];
    if constexpr (height == 1) {
      for (int p = 1; p < pieces; ++p) part_sum[0] += part_sum[p];
      result[0] = sum<L>(part_sum[0]);
    } else {
      double all[L * pieces];
      for (int p = 0; p < pieces; ++p) store<L>(all + p * L, part_sum[p]);
#pragma GCC unroll 8
      for (int r = 0; r < height; ++r) result[r] = all[r];
    }
  }

  std::int64_t rows_ = 0, cols_ = 0, count_ = 0;
  Array<std::int32_t> pointer_;
  ColumnStore<index_bits> columns_;
  Array<Stored> value_;
};

}  // namespace spmv_kernel
