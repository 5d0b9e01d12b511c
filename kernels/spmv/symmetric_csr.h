// A symmetric matrix as its strictly lower triangle and its diagonal: each entry serves twice. Each
// thread owns rows; what it adds to rows of others goes to a buffer of its own, and the owners
// collect it after a barrier, so nothing is written by two at once. The caller gives a symmetric
// matrix with ascending columns.
#pragma once
#include <omp.h>

#include <cstdint>

#include "array.h"
#include "lanes.h"
#include "rows.h"
#include "share.h"

namespace spmv_kernel {

/// The strictly lower triangle, valid while this lives, and the diagonal.
struct LowerTriangle {
  Array<std::int32_t> pointer, column;
  Array<double> value;

  Csr build(const Csr& a, Array<double>& diagonal) {
    pointer.make(a.rows + 1);
    column.make(a.pointer[a.rows] / 2 + 1);
    value.make(a.pointer[a.rows] / 2 + 1);
    diagonal.make(a.rows);
    std::int32_t slot = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
      for (std::int32_t k = a.pointer[i]; k < a.pointer[i + 1] && a.column[k] <= i; ++k) {
        if (a.column[k] == i) {
          diagonal[i] = a.value[k];
        } else {
          column[slot] = a.column[k];
          value[slot++] = a.value[k];
        }
      }
      pointer[i + 1] = slot;
    }
    return {a.rows, a.cols, pointer.at, column.at, value.at};
  }
};

/// Which rows each share owns, and its buffer for the rows before them.
struct Owners {
  Array<std::int64_t> row;     ///< [count + 1]
  Array<std::int64_t> low;     ///< [count] first row that the share adds to
  Array<std::int64_t> offset;  ///< [count + 1] of its buffer
  Array<double> buffer;
  int count = 0;

  /// Shares of units of `height` rows; `reach` elements may be added to beyond the own first row.
  void cut(const Csr& lower, const Shares& shares, std::int64_t height, std::int64_t reach) {
    count = shares.count;
    row.make(count + 1);
    low.make(count);
    offset.make(count + 1);
    for (int t = 0; t <= count; ++t) {
      const std::int64_t first = shares.bound[t] * height;
      row[t] = first < lower.rows ? first : lower.rows;
    }
    for (int t = 0; t < count; ++t) {
      low[t] = row[t];
      for (std::int64_t i = row[t]; i < row[t + 1]; ++i)
        if (lower.pointer[i] < lower.pointer[i + 1] && lower.column[lower.pointer[i]] < low[t])
          low[t] = lower.column[lower.pointer[i]];
      // A block that would reach beyond the last column starts further left than its entries.
      if (reach > 1 && low[t] > lower.cols - reach)
        low[t] = lower.cols > reach ? lower.cols - reach : 0;
      if (low[t] > row[t]) low[t] = row[t];
      offset[t + 1] = offset[t] + (row[t] - low[t] + reach + 15) / 8 * 8;
    }
    buffer.make(offset[count]);
  }

  /// Where share t adds to row j < row[t] + reach: at[j].
  double* foreign(int t) const { return buffer.at + offset[t] - low[t]; }

  /// Adds to the rows of share t what other shares have for them, and empties it.
  void collect(int t, std::int64_t reach, double* y) const {
    for (int s = t; s < count; ++s) {
      double* const at = foreign(s);
      const std::int64_t from = low[s] > row[t] ? low[s] : row[t];
      const std::int64_t end = row[s] == row[s + 1] ? low[s] : row[s] + reach;
      const std::int64_t to = end < row[t + 1] ? end : row[t + 1];
      for (std::int64_t j = from; j < to; ++j) {
        y[j] += at[j];
        at[j] = 0;
      }
    }
  }
};

/// target[c[0]] += v[0], ...; the columns differ.
template <int V, class Index>
ROOFTUNE_INLINE void add_scattered(double* target, const Index* c, const Vector<V>& v) {
#ifdef SPMV_GATHER_8
  if constexpr (V == 8) {
    const Vector<8> sum = gather<8>(target, c) + v;
    __builtin_ia32_scattersiv8df(target, static_cast<char>(-1), indices8(c), sum, 8);
    return;
  }
#endif
  if constexpr (V == 1) {
    target[c[0]] += v;
  } else {
#pragma GCC unroll 8
    for (int e = 0; e < V; ++e) target[c[e]] += v[e];
  }
}

class SymmetricCsr {
 public:
  void build(const Csr& a, int threads) {
    LowerTriangle triangle;
    const Csr lower = triangle.build(a, diagonal_);
    rows_.build(lower, lower.rows, nullptr, shares_, threads);
    if (KNOB_SPLIT == KNOB_SPLIT_ROWS)
      for (int t = 0; t <= threads; ++t) shares_.bound[t] = a.rows * t / threads;
    owners_.cut(lower, shares_, 1, 0);
    mixed_.make(threads);
    for (int t = 0; t < threads; ++t) {
      mixed_[t] = owners_.row[t];
      for (std::int64_t i = owners_.row[t]; i < owners_.row[t + 1]; ++i)
        if (lower.pointer[i] < lower.pointer[i + 1] &&
            lower.column[lower.pointer[i]] < owners_.row[t])
          mixed_[t] = i + 1;
    }
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(rows_.value);
    visit(diagonal_);
  }

  /// Inside a parallel region, with a barrier between the two.
  template <class Y>
  void multiply(const double* x, Y y) const {
    for (int t = omp_get_thread_num(); t < owners_.count; t += omp_get_num_threads()) {
      std::int64_t i = owners_.row[t];
      for (; i < mixed_[t]; ++i) row(t, i, foreign_entries(i, owners_.row[t]), x, y);
      for (; i < owners_.row[t + 1]; ++i) row(t, i, 0, x, y);
    }
  }
  template <class Y>
  void collect(Y y) const {
    for (int t = omp_get_thread_num(); t < owners_.count; t += omp_get_num_threads())
      owners_.collect(t, 0, place(y));
  }

 private:
  /// Entries of row i left of column `first`.
  std::int64_t foreign_entries(std::int64_t i, std::int64_t first) const {
    const std::int64_t from = rows_.pointer[i], count = rows_.pointer[i + 1] - from;
    return first_unit(count, first,
                      [&](std::int64_t k) { return rows_.set.columns.at(i, from + k, k); });
  }

  template <class Y>
  ROOFTUNE_INLINE void row(int t, std::int64_t i, std::int64_t foreign, const double* x,
                           Y y) const {
    const std::int64_t from = rows_.pointer[i], count = rows_.pointer[i + 1] - from;
    const double x_i = factor(y) * x[i];
    double sum = diagonal_[i] * x[i];
    if (foreign > 0) sum += part(i, from, foreign, x, x_i, owners_.foreign(t));
    sum += part(i, from + foreign, count - foreign, x, x_i, place(y));
    put(y + i, sum);
  }

  ROOFTUNE_INLINE double part(std::int64_t i, std::int64_t from, std::int64_t count,
                              const double* x, double x_i, double* target) const {
    return rows_.set.columns.visit(
        i, from, from - rows_.pointer[i],
        [&](const auto* c, std::int64_t origin, bool) __attribute__((always_inline)) {
          return twice(rows_.value.at + from, c, count, x + origin, x_i, target + origin);
        });
  }

  /// Sum of v x, and target += v x_i.
  template <class Index>
  static ROOFTUNE_INLINE double twice(const Stored* v, const Index* c, std::int64_t n,
                                      const double* x, double x_i, double* target) {
    constexpr int width = row_width;
    Vector<width> part_sum[unroll] = {};
    std::int64_t k = 0;
    if (KNOB_PREFETCH > 0) {
      for (int line = 0; line < n; line += 8) prefetch_ahead(v + line, KNOB_PREFETCH);
      for (int line = 0; line < n; line += 16) prefetch_ahead(c + line, KNOB_PREFETCH);
    }
    for (; k + width * unroll <= n; k += width * unroll) {
#pragma GCC unroll 8
      for (int u = 0; u < unroll; ++u) {
        const Vector<width> value = values<width>(v + k + u * width);
        part_sum[u] += value * gather<width>(x, c + k + u * width);
        add_scattered<width>(target, c + k + u * width, value * x_i);
      }
    }
#pragma GCC unroll 8
    for (int u = 1; u < unroll; ++u) part_sum[0] += part_sum[u];
    double result = sum<width>(part_sum[0]);
    for (; k < n; ++k) {
      result += v[k] * x[c[k]];
      target[c[k]] += v[k] * x_i;
    }
    return result;
  }

  Shares shares_;
  Owners owners_;
  OwnRows rows_;
  Array<double> diagonal_;
  Array<std::int64_t>
      mixed_;  ///< [count] first row of a share from which on all columns are its own
};

}  // namespace spmv_kernel
