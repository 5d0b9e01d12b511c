// Rows stored one after the other (CSR) and their products with x: SIMD over the entries of a row,
// several sums at once, columns of 32 bits or of 16 bits behind a base per row.
// The caller keeps the arrays alive; a layout's own arrays may be read 64 bytes beyond their end.
#pragma once
#include <cstdint>

#include "array.h"
#include "knobs.h"
#include "lanes.h"
#include "share.h"

namespace spmv_kernel {

/// Rows as the caller or the reordering has them: columns of 32 bits.
struct Source {
  std::int64_t rows, cols;
  const std::int32_t* pointer;
  const std::int32_t* column;
  const double* value;
};

/// Rows as the product reads them.
struct RowSet {
  std::int64_t rows = 0;
  const std::int32_t* pointer = nullptr;  ///< [rows + 1]
  const Stored* value = nullptr;
  const std::int32_t* wide =
      nullptr;  ///< columns; of 16-bit layouts: those of rows that do not fit
  const std::uint16_t* narrow = nullptr;  ///< columns behind the base of the row
  const std::int32_t* base =
      nullptr;  ///< [rows]; negative: ~position in `wide` of the first column
  const std::int32_t* target = nullptr;  ///< [rows] where the results go; null: in order
  std::int64_t entries = 0;
};

/// Sum of v[k] x[c[k]] over k < n. Up to `safe` columns from c may be read for prefetching x.
template <class Index>
ROOFTUNE_INLINE double dot(const Stored* v, const Index* c, std::int64_t n, const double* x,
                           std::int64_t safe) {
  constexpr int width = row_width, step = width * unroll;
  Vector<width> part_sum[unroll] = {};
  std::int64_t k = 0;
  if (KNOB_PREFETCH > 0 && n < step) {
    prefetch_ahead(v, KNOB_PREFETCH);
    prefetch_ahead(c, KNOB_PREFETCH);
  }
  for (; k + step <= n; k += step) {
    if (KNOB_PREFETCH > 0) {
      for (int line = 0; line < step; line += 8) prefetch_ahead(v + k + line, KNOB_PREFETCH);
      prefetch_ahead(c + k, KNOB_PREFETCH);
    }
    if (KNOB_PREFETCH_X && k + step + KNOB_PREFETCH <= safe)
      for (int e = 0; e < step; ++e) __builtin_prefetch(x + c[k + e + KNOB_PREFETCH]);
#pragma GCC unroll 8
    for (int u = 0; u < unroll; ++u)
      part_sum[u] += values<width>(v + k + u * width) * gather<width>(x, c + k + u * width);
  }
  if constexpr (width > 1 && unroll > 1)
    for (; k + width <= n; k += width)
      part_sum[0] += values<width>(v + k) * gather<width>(x, c + k);
#ifdef SPMV_GATHER_8
  if constexpr (width == 8)
    if (k < n) {
      part_sum[0] += part(v + k, c + k, n - k, x);
      k = n;
    }
#endif
#pragma GCC unroll 8
  for (int u = 1; u < unroll; ++u) part_sum[0] += part_sum[u];
  return sum<width>(part_sum[0]) + rest(v + k, c + k, n - k, x);
}

/// The part [k, end) of row i.
ROOFTUNE_INLINE double row_part(const RowSet& a, std::int64_t i, std::int64_t k, std::int64_t end,
                                const double* x) {
  if constexpr (index_bits == 16) {
    const std::int32_t base = a.base[i];
    if (base >= 0) return dot(a.value + k, a.narrow + k, end - k, x + base, a.entries - k);
    return dot(a.value + k, a.wide + ~base + (k - a.pointer[i]), end - k, x, end - k);
  } else {
    return dot(a.value + k, a.wide + k, end - k, x, a.entries - k);
  }
}

inline void multiply_rows(const RowSet& a, std::int64_t from, std::int64_t to, const double* x,
                          double* y) {
  std::int64_t k = a.pointer[from];
  for (std::int64_t i = from; i < to; ++i) {
    const std::int64_t end = a.pointer[i + 1];
    put(y + (a.target ? a.target[i] : i), row_part(a, i, k, end, x));
    k = end;
  }
}

/// Equal steps along the merge of row ends and entries (Merrill and Garland, SC 2016): a share may
/// end within a row, and what it has of that row is added once all shares are done.
struct MergePath {
  Array<std::int64_t> row, entry;  ///< [count + 1] where each share starts
  Array<double> carry;             ///< [count * 8], one line per share
  int count = 0;

  void cut(int shares, const RowSet& a) {
    row.make(shares + 1);
    entry.make(shares + 1);
    carry.make(std::int64_t{shares} * 8);
    count = shares;
    for (int t = 0; t <= shares; ++t) {
      const std::int64_t diagonal = (a.rows + a.entries) * t / shares;
      row[t] = first_unit(a.rows, diagonal + 1,
                          [&](std::int64_t i) { return a.pointer[i + 1] + i + 1; });
      entry[t] = diagonal - row[t];
    }
  }

  /// Share t; then fix_up() after all shares.
  void multiply(const RowSet& a, int t, const double* x, double* y) const {
    std::int64_t k = entry[t];
    for (std::int64_t i = row[t]; i < row[t + 1]; ++i) {
      const std::int64_t end = a.pointer[i + 1];
      put(y + (a.target ? a.target[i] : i), row_part(a, i, k, end, x));
      k = end;
    }
    carry[t * 8] = k < entry[t + 1] ? row_part(a, row[t + 1], k, entry[t + 1], x) : 0;
  }

  void fix_up(const RowSet& a, double* y) const {
    for (int t = 0; t < count; ++t) {
      const std::int64_t i = row[t + 1];
      if (i < a.rows && entry[t + 1] > a.pointer[i]) y[a.target ? a.target[i] : i] += carry[t * 8];
    }
  }
};

/// Rows that a layout owns.
struct OwnRows {
  Array<std::int32_t> pointer, wide, base, target;
  Array<std::uint16_t> narrow;
  Array<Stored> value;
  RowSet set;

  /// Rows order[0..count) of `a` (null: the first `count`); results go where they came from when
  /// they are picked.
  void build(const Source& a, std::int64_t count, const std::int32_t* order, Shares& shares,
             int threads) {
    pointer.make(count + 1);
    base.make(count);
    if (order != nullptr) target.make(count);
    std::int64_t escaped = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = order ? order[i] : i;
      const std::int32_t low = a.pointer[row], high = a.pointer[row + 1];
      if (order != nullptr) target[i] = order[i];
      pointer[i + 1] = pointer[i] + (high - low);
      if (index_bits != 16 || low == high) continue;
      base[i] = a.column[low];
      if (a.column[high - 1] - a.column[low] <= 65535) continue;
      base[i] = static_cast<std::int32_t>(~escaped);
      escaped += high - low;
    }
    shares.cut(threads, count, [&](std::int64_t i) { return std::int64_t{pointer[i]}; });
    const std::int64_t entries = pointer[count];
    value.make(entries);
    if (index_bits == 16) narrow.make(entries);
    wide.make(index_bits == 16 ? escaped : entries);
    fill(count, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) copy_row(a, order ? order[i] : i, i);
    });
    set = {count, pointer.at, value.at, wide.at, narrow.at, base.at, target.at, entries};
  }

  void copy_row(const Source& a, std::int64_t row, std::int64_t i) const {
    const std::int64_t from = a.pointer[row], count = a.pointer[row + 1] - from;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t slot = pointer[i] + k;
      const std::int32_t c = a.column[from + k];
      value[slot] = static_cast<Stored>(a.value[from + k]);
      if (index_bits != 16)
        wide[slot] = c;
      else if (base[i] >= 0)
        narrow[slot] = static_cast<std::uint16_t>(c - base[i]);
      else
        wide[~base[i] + k] = c;
    }
  }
};

}  // namespace spmv_kernel
