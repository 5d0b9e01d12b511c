// Rows stored one after the other (CSR) and their products with x: SIMD over the entries of a row,
// several sums at once. A layout's own arrays may be read 64 bytes beyond their end.
#pragma once
#include <cstdint>

#include "column_store.h"
#include "csr.h"
#include "knobs.h"
#include "lanes.h"
#include "path.h"
#include "share.h"

namespace spmv_kernel {

/// Rows as products read them. 8 bits are for chunks only.
struct RowSet : RowsView<Stored, index_bits == 16 ? 16 : 32> {
  const std::int32_t* target = nullptr;  ///< [rows] where the results go; null: in order
  std::int64_t entries = 0;

  std::int64_t place(std::int64_t i) const { return target ? target[i] : i; }
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
  return a.columns.visit(
      i, k, k - a.pointer[i],
      [&](const auto* c, std::int64_t origin, bool apart) __attribute__((always_inline)) {
        const std::int64_t safe = apart ? end - k : a.entries - k;
        return dot(a.value + k, c, end - k, x + origin, safe);
      });
}

template <class Y>
inline void multiply_rows(const RowSet& a, std::int64_t from, std::int64_t to, const double* x,
                          Y y) {
  std::int64_t k = a.pointer[from];
  for (std::int64_t i = from; i < to; ++i) {
    const std::int64_t end = a.pointer[i + 1];
    put(y + a.place(i), row_part(a, i, k, end, x));
    k = end;
  }
}

/// The merge path along rows and their entries.
class RowPath : UnitPath<1> {
 public:
  using UnitPath::count;

  void cut(int shares, const RowSet& a) { UnitPath::cut(shares, a.rows, Starts{a}); }

  /// Share t; then fix_up() after all shares.
  template <class Y>
  void multiply(const RowSet& a, int t, const double* x, Y y) const {
    UnitPath::multiply(
        t, a.rows, Starts{a},
        [&](std::int64_t i, std::int64_t from) {
          put(y + a.place(i), row_part(a, i, from, a.pointer[i + 1], x));
        },
        [&](std::int64_t i, std::int64_t from, std::int64_t to, double* sum) {
          *sum = row_part(a, i, from, to, x);
        });
  }

  template <class Y>
  void fix_up(const RowSet& a, Y y) const {
    UnitPath::fix_up(a.rows, Starts{a},
                     [&](std::int64_t i, const double* sum) { add(y + a.place(i), *sum); });
  }

 private:
  struct Starts {
    const RowSet& a;
    std::int64_t operator()(std::int64_t i) const { return a.pointer[i]; }
  };
};

/// Rows that a layout owns.
struct OwnRows {
  Array<std::int32_t> pointer, target;
  Array<Stored> value;
  ColumnStore<index_bits == 16 ? 16 : 32> columns;
  RowSet set;

  /// Rows order[0..count) of `a` (null: the first `count`); results go where they came from when
  /// they are picked.
  void build(const Csr& a, std::int64_t count, const std::int32_t* order, Shares& shares,
             int threads) {
    pointer.make(count + 1);
    columns.start(count);
    if (order != nullptr) target.make(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = order ? order[i] : i;
      const std::int32_t low = a.pointer[row], high = a.pointer[row + 1];
      if (order != nullptr) target[i] = order[i];
      pointer[i + 1] = pointer[i] + (high - low);
      if (low < high) columns.unit(i, a.column[low], a.column[high - 1], high - low);
    }
    shares.cut(threads, count, [&](std::int64_t i) { return std::int64_t{pointer[i]}; });
    value.make(pointer[count]);
    columns.make(pointer[count]);
    fill(count, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) copy_row(a, order ? order[i] : i, i);
    });
    set = {{count, pointer.at, value.at, columns.view()}, target.at, pointer[count]};
  }

  void copy_row(const Csr& a, std::int64_t row, std::int64_t i) const {
    const std::int64_t from = a.pointer[row], count = a.length(row);
    for (std::int64_t k = 0; k < count; ++k) {
      value[pointer[i] + k] = static_cast<Stored>(a.value[from + k]);
      columns.put(i, pointer[i] + k, k, a.column[from + k]);
    }
  }
};

}  // namespace spmv_kernel
