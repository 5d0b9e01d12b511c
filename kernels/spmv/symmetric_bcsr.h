// A symmetric matrix as register blocks of its strictly lower triangle and its diagonal: each block
// meets x twice, as it is and transposed. Ownership of rows as in symmetric_csr.h.
// The caller gives a symmetric matrix with ascending columns.
#pragma once
#include <omp.h>

#include <cstdint>

#include "array.h"
#include "bcsr.h"
#include "lanes.h"
#include "symmetric_csr.h"

namespace spmv_kernel {

class SymmetricBcsr {
 public:
  static constexpr int height = Bcsr::height, width = Bcsr::width;

  void build(const Csr& a, int threads) {
    LowerTriangle triangle;
    const Csr lower = triangle.build(a, diagonal_);
    rows_ = a.rows;
    blocks_.build(lower, threads);
    if (KNOB_SPLIT == KNOB_SPLIT_ROWS)
      for (int t = 0; t <= threads; ++t) blocks_.shares.bound[t] = blocks_.count() * t / threads;
    owners_.cut(lower, blocks_.shares, height, width);
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    blocks_.each_value_array(visit);
    visit(diagonal_);
  }

  /// Inside a parallel region, with a barrier between the two.
  template <class Y>
  void multiply(const double* x, Y y) const {
    for (int t = omp_get_thread_num(); t < owners_.count; t += omp_get_num_threads())
      for (std::int64_t b = blocks_.shares.bound[t]; b < blocks_.shares.bound[t + 1]; ++b)
        block_row(t, b, x, y);
  }
  template <class Y>
  void collect(Y y) const {
    for (int t = omp_get_thread_num(); t < owners_.count; t += omp_get_num_threads())
      owners_.collect(t, width, place(y));
  }

 private:
  static constexpr int L = Bcsr::along_row ? width : Bcsr::lanes;
  static constexpr int sums = Bcsr::along_row ? 1 : width;

  template <class Y>
  ROOFTUNE_INLINE void block_row(int t, std::int64_t b, const double* x, Y y) const {
    const std::int64_t first = b * height, own = owners_.row[t], end = owners_.row[t + 1];
    const std::int64_t kept = rows_ - first < height ? rows_ - first : height;
    // Apart from part_sum, whose address must not escape or it would live in memory.
    double x_row[L] = {}, total[L], edge[L] = {};
    for (std::int64_t r = 0; r < kept; ++r) x_row[r] = x[first + r];
    for (std::int64_t r = 0; r < kept; ++r) put(y + first + r, diagonal_[first + r] * x_row[r]);
    for (std::int64_t r = 0; r < kept; ++r) x_row[r] *= factor(y);
    double* const foreign = owners_.foreign(t);
    const Vector<L> rows = load<L>(x_row);
    Vector<L> part_sum[sums] = {};
    blocks_.blocks_of(b, [&](const Stored* v, std::int64_t start) {
      if (KNOB_PREFETCH > 0)
        for (int line = 0; line < height * width; line += 8)
          prefetch_ahead(v + line, KNOB_PREFETCH);
      double* const target = start < own ? foreign : place(y);
      // Fill at the end of a share may reach rows of the next one, or none.
      if (start + width > (start < own ? rows_ : end))
        return edge_block(v, start, start < own ? rows_ : end, x, x_row, target, edge);
      block(v, x + start, rows, x_row[0], target + start, part_sum);
    });
    for (int s = 1; s < sums; ++s) part_sum[0] += part_sum[s];
    part_sum[0] += load<L>(edge);
    if constexpr (Bcsr::along_row) {
      add(y + first, sum<L>(part_sum[0]));
    } else {
      store<L>(total, part_sum[0]);
      for (std::int64_t r = 0; r < kept; ++r) add(y + first + r, total[r]);
    }
  }

  /// Lanes beyond the height hold the neighbouring column.
  template <int Lanes>
  static ROOFTUNE_INLINE Vector<Lanes> block_column(const Stored* v) {
    Vector<Lanes> column = values<Lanes>(v);
    if constexpr (Lanes == 4 && height == 3)
      return __builtin_shufflevector(column, Vector<4>{}, 0, 1, 2, 7);
    else if constexpr (Lanes > height)
#pragma GCC unroll 8
      for (int r = height; r < Lanes; ++r) column[r] = 0;
    return column;
  }

  /// target[j] += the sum of the lanes of product[j].
  template <int Lanes>
  static ROOFTUNE_INLINE void add_sums(const Vector<Lanes>* product, double* target) {
    if constexpr (Lanes == 4 && (width == 3 || width == 4)) {
      // Three or four sums at once: pairs side by side, then halves.
      const Vector<4> p2 = product[2], p3 = width == 4 ? product[width - 1] : Vector<4>{};
      const Vector<4> low = __builtin_shufflevector(product[0], product[1], 0, 4, 2, 6) +
                            __builtin_shufflevector(product[0], product[1], 1, 5, 3, 7);
      const Vector<4> high =
          __builtin_shufflevector(p2, p3, 0, 4, 2, 6) + __builtin_shufflevector(p2, p3, 1, 5, 3, 7);
      const Vector<4> all = __builtin_shufflevector(low, high, 0, 1, 4, 5) +
                            __builtin_shufflevector(low, high, 2, 3, 6, 7);
      store<2>(target, load<2>(target) + Vector<2>{all[0], all[1]});
      if constexpr (width == 4)
        store<2>(target + 2, load<2>(target + 2) + Vector<2>{all[2], all[3]});
      else
        target[2] += all[2];
    } else {
#pragma GCC unroll 8
      for (int j = 0; j < width; ++j) target[j] += sum<Lanes>(product[j]);
    }
  }

  static ROOFTUNE_INLINE void block(const Stored* v, const double* x, const Vector<L>& rows,
                                    double x_row, double* target, Vector<L>* part_sum) {
    if constexpr (Bcsr::along_row) {
      const Vector<L> value = values<L>(v);
      part_sum[0] += value * load<L>(x);
      store<L>(target, load<L>(target) + value * x_row);
    } else {
      Vector<L> product[width];
#pragma GCC unroll 8
      for (int j = 0; j < width; ++j) {
        const Vector<L> column = block_column<L>(v + j * height);
        part_sum[j] += column * x[j];
        product[j] = column * rows;
      }
      add_sums<L>(product, target);
    }
  }

  /// The same for columns before `limit`, one value at a time.
  static void edge_block(const Stored* v, std::int64_t start, std::int64_t limit, const double* x,
                         const double* x_row, double* target, double* total) {
    for (std::int64_t j = 0; j < width && start + j < limit; ++j)
      for (int r = 0; r < height; ++r) {
        const double value = v[j * height + r];
        total[Bcsr::along_row ? j : r] += value * x[start + j];
        target[start + j] += value * x_row[r];
      }
  }

  Bcsr blocks_;
  Owners owners_;
  Array<double> diagonal_;
  std::int64_t rows_ = 0;
};

}  // namespace spmv_kernel
