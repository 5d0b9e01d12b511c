// Chunks of rows side by side (SELL-C-sigma: Kreutzer, Hager, Wellein, Fehske, Bishop, SIAM J. Sci.
// Comput. 2014): lane i of a vector belongs to row i of the chunk. Rows much longer than the mean
// can stay rows. The caller gives rows with ascending columns.
#pragma once
#include <cstdint>

#include "array.h"
#include "column_store.h"
#include "csr.h"
#include "lanes.h"
#include "order.h"
#include "path.h"
#include "rows.h"
#include "share.h"

namespace spmv_kernel {

/// Columns of a chunk, `Height` to a step, behind one base.
template <int Height, class Index>
struct PlainColumns {
  const Index* at;
  const double* x;

  const Index* step(std::int64_t j) const { return at + j * Height; }
  const double* origin(std::int64_t) const { return x; }
};

/// Columns as bytes behind a base of their step: neighbouring rows mostly have neighbouring ones.
template <int Height>
struct StepColumns {
  const std::uint8_t* at;
  const std::int32_t* base;
  const double* x;

  const std::uint8_t* step(std::int64_t j) const { return at + j * Height; }
  const double* origin(std::int64_t j) const { return x + base[j]; }
};

class SellCSigma {
 public:
  static constexpr int height = KNOB_CHUNK_ROWS;
  static constexpr int lanes = row_width < height ? row_width : height;
  static constexpr int groups = height / lanes;
  static_assert(height % lanes == 0, "a chunk is whole vectors");

  void build(const Csr& a, int threads) {
    pick_rows(a, threads);
    count_ = (rows_ + height - 1) / height;
    pointer_.make(count_ + 1);
    columns_.start(count_);
    together_.make(count_);
    if (index_bits == 8) {
      by_step_.make(count_);
      place_.make(count_);
    }
    std::int64_t far = 0;  // steps of the chunks that 8 bits do not reach
    for (std::int64_t b = 0; b < count_; ++b) {
      const Span span = extent(a, b);
      pointer_[b + 1] = pointer_[b] + span.length;
      together_[b] = is_together(b);
      if (index_bits == 8) {
        by_step_[b] = steps_are_close(a, b, span);
        place_[b] = static_cast<std::int32_t>(far);
        if (by_step_[b]) continue;
        far += span.length;
      }
      columns_.unit(b, span.low, span.high, span.length * height);
    }
    const auto position = [&](std::int64_t b) { return pointer_[b]; };
    shares.cut(threads, count_, position);
    path.cut(threads, count_, position);
    const std::int64_t entries = pointer_[count_] * height;
    value_.make(entries);
    if (index_bits == 8) code_.make(entries);
    if (index_bits == 8) step_.make(pointer_[count_]);
    columns_.make(index_bits == 8 ? far * height : entries);
    fill(count_, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t b = from; b < to; ++b) copy_chunk(a, b);
    });
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(value_);
    visit(long_rows.value);
  }

  std::int64_t count() const { return count_; }
  bool has_long_rows() const { return long_rows.set.rows > 0; }

  template <class Y>
  void multiply(std::int64_t from, std::int64_t to, const double* x, Y y) const {
    for (std::int64_t b = from; b < to; ++b) whole(b, pointer_[b], x, y);
  }

  /// Share t of the merge path.
  template <class Y>
  void multiply_path(int t, const double* x, Y y) const {
    path.multiply(
        t, count_, [&](std::int64_t b) { return pointer_[b]; },
        [&](std::int64_t b, std::int64_t from) { whole(b, from, x, y); },
        [&](std::int64_t b, std::int64_t from, std::int64_t to, double* sums) {
          Vector<lanes> result[groups];
          steps(b, from, to, x, result);
          for (int g = 0; g < groups; ++g) store<lanes>(sums + g * lanes, result[g]);
        });
  }

  template <class Y>
  void fix_up(Y y) const {
    path.fix_up(
        count_, [&](std::int64_t b) { return pointer_[b]; },
        [&](std::int64_t b, const double* sums) {
          for (std::int64_t r = 0; r < rows_in(b); ++r) add(y + order_[b * height + r], sums[r]);
        });
  }

  Shares shares, long_shares;
  UnitPath<height> path;
  OwnRows long_rows;

 private:
  struct Span {
    std::int32_t low, high;  ///< columns
    std::int64_t length;     ///< of the longest row
  };

  bool steps_are_close(const Csr& a, std::int64_t b, const Span& span) const {
    for (std::int64_t j = 0; j < span.length; ++j) {
      const Span at = extent_of_step(a, b, j);
      if (at.high - at.low > 255) return false;
    }
    return true;
  }

  Span extent_of_step(const Csr& a, std::int64_t b, std::int64_t j) const {
    Span span{0, 0, 0};
    for (std::int64_t r = 0; r < rows_in(b); ++r) {
      const std::int32_t row = order_[b * height + r];
      const std::int64_t k = a.pointer[row] + j;
      if (k >= a.pointer[row + 1]) continue;
      if (span.length == 0 || a.column[k] < span.low) span.low = a.column[k];
      if (span.length == 0 || a.column[k] > span.high) span.high = a.column[k];
      ++span.length;
    }
    return span;
  }

  /// The order of the rows in the chunks, and those that stay rows.
  void pick_rows(const Csr& a, int threads) {
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
    long_rows.build(a, aside, apart.at, long_shares, threads);
  }

  std::int64_t rows_in(std::int64_t b) const {
    return rows_ - b * height < height ? rows_ - b * height : height;
  }

  /// Whether a whole chunk has neighbouring rows in their order.
  bool is_together(std::int64_t b) const {
    for (std::int64_t r = 1; r < height; ++r)
      if (r >= rows_in(b) || order_[b * height + r] != order_[b * height] + r) return false;
    return true;
  }

  Span extent(const Csr& a, std::int64_t b) const {
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
  void copy_chunk(const Csr& a, std::int64_t b) {
    const Span span = extent(a, b);
    for (std::int64_t j = 0; j < span.length; ++j) {
      const Span near = extent_of_step(a, b, j);
      if (is_by_step(b)) step_[pointer_[b] + j] = near.low;
      for (std::int64_t r = 0; r < height; ++r) {
        const std::int64_t slot = j * height + r;
        const std::int32_t row = r < rows_in(b) ? order_[b * height + r] : -1;
        const std::int64_t k = row < 0 ? -1 : a.pointer[row] + j;
        const bool exists = row >= 0 && k < a.pointer[row + 1];
        if (exists) value_[pointer_[b] * height + slot] = static_cast<Stored>(a.value[k]);
        put_column(b, slot, exists ? a.column[k] : near.low, near.low);
      }
    }
  }

  void put_column(std::int64_t b, std::int64_t slot, std::int32_t column, std::int32_t near) {
    if (is_by_step(b))
      code_[pointer_[b] * height + slot] = static_cast<std::uint8_t>(column - near);
    else
      columns_.put(b, first_column(b) + slot, slot, column);
  }

  /// Whether the columns are bytes behind a base per step.
  bool is_by_step(std::int64_t b) const { return index_bits == 8 && by_step_[b] != 0; }
  /// Where the columns of a chunk begin that is not.
  std::int64_t first_column(std::int64_t b) const {
    return height * (index_bits == 8 ? std::int64_t{place_[b]} : pointer_[b]);
  }

  /// The sums of the steps [from, to) of chunk b, counted through all chunks.
  ROOFTUNE_INLINE void steps(std::int64_t b, std::int64_t from, std::int64_t to, const double* x,
                             Vector<lanes>* result) const {
    const Stored* v = value_.at + from * height;
    const std::int64_t safe = pointer_[count_] - from;
    if constexpr (index_bits == 8) {
      if (by_step_[b])
        return sum_up(v, StepColumns<height>{code_.at + from * height, step_.at + from, x},
                      to - from, safe, result);
    }
    const std::int64_t k = (from - pointer_[b]) * height;
    columns_.view().visit(
        b, first_column(b) + k, k,
        [&]<class Index>(const Index* c, std::int64_t origin, bool apart)
            __attribute__((always_inline)) {
              sum_up(v, PlainColumns<height, Index>{c, x + origin}, to - from,
                     apart || index_bits == 8 ? to - from : safe, result);
            });
  }

  template <class Y>
  ROOFTUNE_INLINE void whole(std::int64_t b, std::int64_t from, const double* x, Y y) const {
    Vector<lanes> result[groups];
    steps(b, from, pointer_[b + 1], x, result);
    put_chunk(b, result, y);
  }

  /// `length` steps of `height` entries; columns of up to `safe` steps may be read for prefetching
  /// x.
  template <class Columns>
  static ROOFTUNE_INLINE void sum_up(const Stored* v, const Columns& c, std::int64_t length,
                                     std::int64_t safe, Vector<lanes>* result) {
    Vector<lanes> part_sum[unroll * groups] = {};
    std::int64_t j = 0;
    for (; j + unroll <= length; j += unroll) {
      if (KNOB_PREFETCH > 0) {
        for (int line = 0; line < height * unroll; line += 8)
          prefetch_ahead(v + j * height + line, KNOB_PREFETCH);
        prefetch_ahead(c.step(j), KNOB_PREFETCH);
      }
      constexpr std::int64_t ahead = KNOB_PREFETCH / height;
      if (KNOB_PREFETCH_X && j + unroll + ahead <= safe)
        for (int u = 0; u < unroll; ++u)
          for (int e = 0; e < height; ++e)
            __builtin_prefetch(c.origin(j + u + ahead) + c.step(j + u + ahead)[e]);
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u)
        add_step(v + (j + u) * height, c.step(j + u), c.origin(j + u), part_sum + u * groups);
    }
    if constexpr (unroll > 1)
      for (; j < length; ++j) add_step(v + j * height, c.step(j), c.origin(j), part_sum);
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g) {
      result[g] = part_sum[g];
#pragma GCC unroll 8
      for (int u = 1; u < unroll; ++u) result[g] += part_sum[u * groups + g];
    }
  }

  template <class Index>
  static ROOFTUNE_INLINE void add_step(const Stored* v, const Index* c, const double* x,
                                       Vector<lanes>* part_sum) {
#pragma GCC unroll 32
    for (int g = 0; g < groups; ++g)
      part_sum[g] += values<lanes>(v + g * lanes) * gather<lanes>(x, c + g * lanes);
  }

  template <class Y>
  ROOFTUNE_INLINE void put_chunk(std::int64_t b, const Vector<lanes>* result, Y y) const {
    if (together_[b]) {
      const Y target = y + order_[b * height];
      for (int g = 0; g < groups; ++g) put<lanes>(target + g * lanes, result[g]);
      return;
    }
    double sums[height];
    for (int g = 0; g < groups; ++g) store<lanes>(sums + g * lanes, result[g]);
    const std::int64_t kept = rows_in(b);
    for (std::int64_t r = 0; r < kept; ++r) put(y + order_[b * height + r], sums[r]);
  }

  std::int64_t rows_ = 0, count_ = 0;
  Array<std::int64_t> pointer_;  ///< first step of each chunk
  ColumnStore<index_bits == 8 ? 16 : index_bits, height> columns_;
  Array<std::uint8_t> together_, by_step_, code_;
  Array<std::int32_t> place_;  ///< of a chunk that 8 bits do not reach: its first step among them
  Array<std::int32_t> step_, order_;
  Array<Stored> value_;
};

}  // namespace spmv_kernel
