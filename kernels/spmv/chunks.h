// Chunks of rows side by side (SELL-C-sigma: Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci.
// Comput. 2014): lane i of a vector belongs to row i of the chunk. Rows much longer than the mean
// can stay rows. The caller gives rows with ascending columns.
#pragma once
#include <cstdint>

#include "array.h"
#include "lanes.h"
#include "order.h"
#include "rows.h"
#include "share.h"

namespace spmv_kernel {

class Chunks {
 public:
  static constexpr int height = KNOB_CHUNK_ROWS;
  static constexpr int lanes = KNOB_CHUNK_LANES < height ? KNOB_CHUNK_LANES : height;
  static constexpr int groups = height / lanes;
  static_assert(height % lanes == 0, "a chunk is whole vectors");

  void build(const Source& a, int threads) {
    pick_rows(a, threads);
    count_ = (rows_ + height - 1) / height;
    pointer_.make(count_ + 1);
    base_.make(count_);
    std::int64_t escaped = 0;
    for (std::int64_t b = 0; b < count_; ++b) {
      const Span span = extent(a, b);
      pointer_[b + 1] = pointer_[b] + span.length * height;
      base_[b] = span.low;
      if (index_bits != 16 || span.high - span.low <= 65535) continue;
      base_[b] = static_cast<std::int32_t>(~escaped);
      escaped += span.length;
    }
    const std::int64_t entries = pointer_[count_];
    shares.cut(threads, count_, [&](std::int64_t b) { return pointer_[b]; });
    value_.make(entries);
    if (index_bits == 16) narrow_.make(entries);
    wide_.make(index_bits == 16 ? escaped * height : entries);
    fill(count_, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t b = from; b < to; ++b) copy_chunk(a, b);
    });
  }

  std::int64_t count() const { return count_; }
  bool has_long_rows() const { return long_rows.set.rows > 0; }

  void multiply(std::int64_t from, std::int64_t to, const double* x, double* y) const {
    for (std::int64_t b = from; b < to; ++b) {
      const std::int64_t first = pointer_[b], length = (pointer_[b + 1] - first) / height;
      const double* v = value_.at + first;
      Vector<lanes> result[groups];
      if constexpr (index_bits == 16) {
        const std::int64_t left = pointer_[count_] - first;
        if (base_[b] >= 0)
          chunk(v, narrow_.at + first, length, x + base_[b], left, result);
        else
          chunk(v, wide_.at + ~base_[b] * std::int64_t{height}, length, x, length * height, result);
      } else {
        chunk(v, wide_.at + first, length, x, pointer_[count_] - first, result);
      }
      put_chunk(b, result, y);
    }
  }

  Shares shares, long_shares;
  OwnRows long_rows;

 private:
  struct Span {
    std::int32_t low, high;  ///< columns
    std::int64_t length;     ///< of the longest row
  };

  /// The order of the rows in the chunks, and those that stay rows.
  void pick_rows(const Source& a, int threads) {
    Array<std::int32_t> length, apart;
    length.make(a.rows);
    apart.make(a.rows);
    order_.make(a.rows);
    const double mean =
        a.rows > 0 ? static_cast<double>(a.pointer[a.rows]) / static_cast<double>(a.rows) : 0;
    std::int64_t aside = 0;
    rows_ = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      length[i] = a.pointer[i + 1] - a.pointer[i];
      const bool is_long = KNOB_LONG_ROWS > 0 && length[i] > KNOB_LONG_ROWS * mean + 16;
      (is_long ? apart[aside++] : order_[rows_++]) = static_cast<std::int32_t>(i);
    }
    sort_windows(order_.at, rows_, KNOB_SORT_ROWS, length.at);
    in_order_ = KNOB_SORT_ROWS == 1 && aside == 0;
    long_rows.build(a, aside, apart.at, long_shares, threads);
  }

  std::int64_t rows_in(std::int64_t b) const {
    return rows_ - b * height < height ? rows_ - b * height : height;
  }

  Span extent(const Source& a, std::int64_t b) const {
    Span span{0, 0, 0};
    for (std::int64_t r = 0; r < rows_in(b); ++r) {
      const std::int32_t row = order_[b * height + r];
      const std::int32_t from = a.pointer[row], to = a.pointer[row + 1];
      if (from == to) continue;
      const bool first = span.length == 0;
      if (first || a.column[from] < span.low) span.low = a.column[from];
      if (first || a.column[to - 1] > span.high) span.high = a.column[to - 1];
      if (to - from > span.length) span.length = to - from;
    }
    return span;
  }

  /// Missing entries are zeros that meet an x which the chunk reads anyway.
  void copy_chunk(const Source& a, std::int64_t b) {
    const Span span = extent(a, b);
    for (std::int64_t r = 0; r < height; ++r) {
      const bool exists = r < rows_in(b);
      const std::int32_t row = exists ? order_[b * height + r] : 0;
      const std::int64_t from = exists ? a.pointer[row] : 0, to = exists ? a.pointer[row + 1] : 0;
      std::int32_t column = span.low;
      for (std::int64_t j = 0; j < span.length; ++j) {
        const std::int64_t slot = pointer_[b] + j * height + r;
        if (from + j < to) {
          column = a.column[from + j];
          value_[slot] = a.value[from + j];
        }
        if (index_bits != 16)
          wide_[slot] = column;
        else if (base_[b] >= 0)
          narrow_[slot] = static_cast<std::uint16_t>(column - base_[b]);
        else
          wide_[(~base_[b] + j) * height + r] = column;
      }
    }
  }

  /// `length` steps of `height` entries; up to `safe` columns from c may be read for prefetching x.
  template <class Index>
  static ROOFTUNE_INLINE void chunk(const double* v, const Index* c, std::int64_t length,
                                    const double* x, std::int64_t safe, Vector<lanes>* result) {
    Vector<lanes> part_sum[unroll * groups] = {};
    std::int64_t j = 0;
    for (; j + unroll <= length; j += unroll) {
      if (KNOB_PREFETCH > 0) {
        for (int line = 0; line < height * unroll; line += 8)
          prefetch_ahead(v + j * height + line, KNOB_PREFETCH);
        prefetch_ahead(c + j * height, KNOB_PREFETCH);
      }
      if (KNOB_PREFETCH_X && (j + unroll) * height + KNOB_PREFETCH <= safe)
        for (int e = 0; e < height * unroll; ++e)
          __builtin_prefetch(x + c[j * height + e + KNOB_PREFETCH]);
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u)
        add_step(v + (j + u) * height, c + (j + u) * height, x, part_sum + u * groups);
    }
    if constexpr (unroll > 1)
      for (; j < length; ++j) add_step(v + j * height, c + j * height, x, part_sum);
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g) {
      result[g] = part_sum[g];
#pragma GCC unroll 8
      for (int u = 1; u < unroll; ++u) result[g] += part_sum[u * groups + g];
    }
  }

  template <class Index>
  static ROOFTUNE_INLINE void add_step(const double* v, const Index* c, const double* x,
                                       Vector<lanes>* part_sum) {
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g)
      part_sum[g] += load<lanes>(v + g * lanes) * gather<lanes>(x, c + g * lanes);
  }

  ROOFTUNE_INLINE void put_chunk(std::int64_t b, const Vector<lanes>* result, double* y) const {
    double* target = y + b * height;
    if (in_order_ && (b + 1) * height <= rows_) {
#if KNOB_NT_STORE
      if (reinterpret_cast<std::uintptr_t>(target) % (8 * lanes) == 0) {
        for (int g = 0; g < groups; ++g) rooftune::stream<lanes>(target + g * lanes, result[g]);
        return;
      }
#endif
      for (int g = 0; g < groups; ++g) store<lanes>(target + g * lanes, result[g]);
      return;
    }
    double sums[height];
    for (int g = 0; g < groups; ++g) store<lanes>(sums + g * lanes, result[g]);
    const std::int64_t kept = rows_in(b);
    for (std::int64_t r = 0; r < kept; ++r) put(y + order_[b * height + r], sums[r]);
  }

  std::int64_t rows_ = 0, count_ = 0;
  bool in_order_ = true;
  Array<std::int64_t> pointer_;
  Array<std::int32_t> base_, wide_, order_;
  Array<std::uint16_t> narrow_;
  Array<double> value_;
};

}  // namespace spmv_kernel
