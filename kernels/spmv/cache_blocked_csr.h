// Rows cut into bands of columns (cache and TLB blocking: Nishtala, Vuduc, Demmel, Yelick, AAECC
// 2007): all rows meet the x of one band before the next, so that it stays in an inner cache.
// The caller keeps the layout as it was when it was built.
#pragma once
#include <cstdint>

#include "array.h"
#include "rows.h"
#include "share.h"

namespace spmv_kernel {

class CacheBlockedCsr {
 public:
  static constexpr std::int64_t width = KNOB_BAND_COLUMNS > 0 ? KNOB_BAND_COLUMNS : 1;

  void build(const Csr& a, int threads) {
    rows_ = a.rows;
    count_ = a.cols > 0 ? (a.cols + width - 1) / width : 1;
    shares.cut(threads, a.rows, [&](std::int64_t i) { return std::int64_t{a.pointer[i]}; });
    Array<std::int32_t> next;  // first entry of each row that no band has yet
    next.make(a.rows);
    first_.make(count_ + 1);
    std::int64_t pieces = 0;
    each_piece(a, next, [&](std::int64_t, std::int64_t, std::int64_t) { ++pieces; });
    row_.make(pieces);
    Array<std::int32_t> pointer, column;
    Array<double> value;
    pointer.make(pieces + 1);
    column.make(a.pointer[a.rows]);
    value.make(a.pointer[a.rows]);
    std::int64_t piece = 0, slot = 0;
    each_piece(a, next, [&](std::int64_t row, std::int64_t from, std::int64_t to) {
      row_[piece] = static_cast<std::int32_t>(row);
      for (std::int64_t k = from; k < to; ++k, ++slot) {
        column[slot] = a.column[k];
        value[slot] = a.value[k];
      }
      pointer[++piece] = static_cast<std::int32_t>(slot);
    });
    Shares by_piece;
    rows.build({pieces, a.cols, pointer.at, column.at, value.at}, pieces, nullptr, by_piece,
               threads);
  }

  /// Rows [from, to) with every band in turn.
  template <class Y>
  void multiply(std::int64_t from, std::int64_t to, const double* x, Y y) const {
    for (std::int64_t b = 0; b < count_; ++b) {
      std::int64_t piece = first_[b] + first_piece(b, from);
      const std::int64_t end = first_[b] + first_piece(b, to);
      for (; piece < end; ++piece) {
        const double sum =
            row_part(rows.set, piece, rows.pointer[piece], rows.pointer[piece + 1], x);
        b == 0 ? put(y + row_[piece], sum) : add(y + row_[piece], sum);
      }
    }
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(rows.value);
  }

  std::int64_t count() const { return rows_; }

  Shares shares;
  OwnRows rows;

 private:
  /// body(row, from, to): entries of the row in a band; the first band has every row.
  template <class Body>
  void each_piece(const Csr& a, Array<std::int32_t>& next, const Body& body) {
    for (std::int64_t i = 0; i < a.rows; ++i) next[i] = a.pointer[i];
    std::int64_t pieces = 0;
    for (std::int64_t b = 0; b < count_; ++b) {
      first_[b] = pieces;
      for (std::int64_t i = 0; i < a.rows; ++i) {
        const std::int32_t from = next[i];
        std::int32_t to = from;
        while (to < a.pointer[i + 1] && a.column[to] < (b + 1) * width) ++to;
        next[i] = to;
        if (b > 0 && from == to) continue;
        body(i, from, to);
        ++pieces;
      }
    }
    first_[count_] = pieces;
  }

  std::int64_t first_piece(std::int64_t band, std::int64_t row) const {
    return first_unit(first_[band + 1] - first_[band], row,
                      [&](std::int64_t p) { return std::int64_t{row_[first_[band] + p]}; });
  }

  std::int64_t rows_ = 0, count_ = 0;
  Array<std::int64_t> first_;  ///< [count + 1] first piece of each band
  Array<std::int32_t> row_;    ///< [pieces]
};

}  // namespace spmv_kernel
