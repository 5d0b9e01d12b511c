// Tiles of lanes x steps entries with segmented sums (after CSR5: Liu and Vinter, ICS 2015): a lane
// holds consecutive entries, whatever rows they belong to, so long and short rows cost the same.
// The caller keeps the layout as it was when it was built.
#pragma once
#include <cstdint>
#include <type_traits>

#include "array.h"
#include "column_store.h"
#include "csr.h"
#include "lanes.h"
#include "share.h"

namespace spmv_kernel {

class Csr5 {
 public:
  static constexpr int lanes = vector_lanes(KNOB_TILE_LANES);
  static constexpr std::int64_t steps = KNOB_TILE_STEPS, size = lanes * steps;

  void build(const Csr& a, int threads) {
    list_rows(a);
    const std::int64_t entries = a.pointer[a.rows];
    count_ = (entries + size - 1) / size;
    open_.make(count_ * lanes);
    starts_.make(count_ * steps);
    columns_.start(count_);
    for (std::int64_t tile = 0; tile < count_; ++tile) {
      std::int32_t low = a.column[tile * size], high = low;
      for (std::int64_t k = tile * size; k < (tile + 1) * size && k < entries; ++k) {
        if (a.column[k] < low) low = a.column[k];
        if (a.column[k] > high) high = a.column[k];
      }
      columns_.unit(tile, low, high, size);
    }
    value_.make(count_ * size);
    columns_.make(count_ * size);
    shares.bound.make(threads + 1);
    shares.count = threads;
    for (int t = 0; t <= threads; ++t) shares.bound[t] = count_ * t / threads;
    head_.make(threads * line);
    fill(count_, shares, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t tile = from; tile < to; ++tile) copy_tile(a, tile);
    });
  }

  /// visit(array) for each that holds values.
  template <class Visit>
  void each_value_array(const Visit& visit) {
    visit(value_);
  }

  /// Share t; then fix_up() after all shares.
  template <class Y>
  void multiply(int t, const double* x, Y y) const {
    for (std::int64_t e = empty_count_ * t / shares.count;
         e < empty_count_ * (t + 1) / shares.count; ++e)
      put(y + empty_[e], 0);
    Open open{-1, 0, 0, false};
    for (std::int64_t tile = shares.bound[t]; tile < shares.bound[t + 1]; ++tile)
      columns_.view().visit(
          tile, tile * size,
          0, [&](const auto* c, std::int64_t origin, bool) __attribute__((always_inline)) {
            add_tile(tile, c, x + origin, y, open);
          });
    double* const slot = head_.at + t * line;
    slot[0] = open.first;
    slot[1] = open.sum;
    slot[2] = open.closed ? 1 : 0;
  }

  /// Rows that reach over the end of a share.
  template <class Y>
  void fix_up(Y y) const {
    double sum = 0;
    for (int t = 0; t < shares.count; ++t) {
      if (shares.bound[t] == shares.bound[t + 1]) continue;
      const double* const slot = head_.at + t * line;
      if (slot[2] != 0) {
        const std::int32_t row = open_[shares.bound[t] * lanes];
        if (row >= 0) put(y + row_[row], sum + slot[0]);
        sum = slot[1];
      } else {
        sum += slot[1];
      }
    }
    if (row_count_ > 0) put(y + row_[row_count_ - 1], sum);
  }

  Shares shares;

 private:
  static constexpr std::int64_t line = 8;
  typedef std::int64_t Whole __attribute__((vector_size(8 * lanes)));

  /// The row that a share has begun: of the first one it sees only the end.
  struct Open {
    std::int64_t row;
    double first;  ///< what belongs to the row that was open before the share
    double sum;    ///< of the row that is open now
    bool closed;   ///< the first row has ended
  };

  void list_rows(const Csr& a) {
    row_.make(a.rows);
    empty_.make(a.rows);
    row_count_ = empty_count_ = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      (a.pointer[i] < a.pointer[i + 1] ? row_[row_count_++] : empty_[empty_count_++]) =
          static_cast<std::int32_t>(i);
  }

  /// Missing entries at the end are zeros that meet an x which the tile reads anyway.
  void copy_tile(const Csr& a, std::int64_t tile) {
    const std::int64_t entries = a.pointer[a.rows];
    std::int64_t next = first_unit(
        row_count_, tile * size, [&](std::int64_t r) { return std::int64_t{a.pointer[row_[r]]}; });
    for (std::int64_t l = 0; l < lanes; ++l) {
      open_[tile * lanes + l] = static_cast<std::int32_t>(next - 1);
      for (std::int64_t s = 0; s < steps; ++s) {
        const std::int64_t k = tile * size + l * steps + s, slot = tile * size + s * lanes + l;
        const bool exists = k < entries;
        if (exists && next < row_count_ && a.pointer[row_[next]] == k) {
          starts_[tile * steps + s] |= static_cast<std::uint8_t>(1u << l);
          ++next;
        }
        if (exists) value_[slot] = static_cast<Stored>(a.value[k]);
        columns_.put(tile, slot, slot - tile * size, a.column[exists ? k : tile * size]);
      }
    }
  }

  /// Lanes whose bit is set.
  static ROOFTUNE_INLINE Whole chosen(unsigned bits) {
    Whole place;
#pragma GCC unroll 8
    for (int l = 0; l < lanes; ++l) place[l] = 1 << l;
    return ((Whole{} + bits) & place) != 0;
  }

  template <class Y>
  ROOFTUNE_INLINE void close(const Whole& row, unsigned bits, const Vector<lanes>& sums,
                             Y y) const {
#if defined(SPMV_GATHER_8) && KNOB_TILE_LANES == 8
    if constexpr (std::is_pointer_v<Y>) {
      typedef long long Native __attribute__((vector_size(64)));
      Native target = (Native)row;
      if (empty_count_ > 0)
        for (int l = 0; l < lanes; ++l) target[l] = row_[row[l] < 0 ? 0 : row[l]];
      return __builtin_ia32_scatterdiv8df(y, static_cast<char>(bits), target, sums, 8);
    }
#endif
    for (; bits != 0; bits &= bits - 1) {
      const int l = __builtin_ctz(bits);
      put(y + row_[row[l]], sums[l]);
    }
  }

  template <class Index, class Y>
  ROOFTUNE_INLINE void add_tile(std::int64_t tile, const Index* c, const double* x, Y y,
                                Open& open) const {
    const Stored* v = value_.at + tile * size;
    const std::uint8_t* starts = starts_.at + tile * steps;
    Vector<lanes> sums = {}, heads = {};
    Whole row;
    for (int l = 0; l < lanes; ++l) row[l] = open_[tile * lanes + l];
    unsigned seen = 0;
    for (std::int64_t s = 0; s < steps; ++s) {
      if (KNOB_PREFETCH > 0) {
        prefetch_ahead(v + s * lanes, KNOB_PREFETCH);
        if (s * sizeof(Index) * lanes % 64 == 0) prefetch_ahead(c + s * lanes, KNOB_PREFETCH);
      }
      const unsigned bits = starts[s];
      if (bits != 0) {
        const Whole begins = chosen(bits);
        const unsigned ends = bits & seen;
        if (bits != ends) heads = chosen(bits & ~seen) ? sums : heads;
        if (ends != 0) close(row, ends, sums, y);
        sums = begins ? Vector<lanes>{} : sums;
        row -= begins;
        seen |= bits;
      }
      sums += values<lanes>(v + s * lanes) * gather<lanes>(x, c + s * lanes);
    }
    join(tile, seen, heads, sums, y, open);
  }

  /// Goes on from lane to lane: the first row of a lane began before it.
  template <class Y>
  ROOFTUNE_INLINE void join(std::int64_t tile, unsigned seen, const Vector<lanes>& heads,
                            const Vector<lanes>& tails, Y y, Open& open) const {
    double head[lanes], tail[lanes];
    store<lanes>(head, heads);
    store<lanes>(tail, tails);
    for (int l = 0; l < lanes; ++l) {
      if ((seen >> l & 1u) == 0) {
        open.sum += tail[l];
        continue;
      }
      const double sum = open.sum + head[l];
      if (open.closed)
        put(y + row_[open_[tile * lanes + l]], sum);
      else
        open.first = sum;
      open.closed = true;
      open.sum = tail[l];
    }
  }

  std::int64_t count_ = 0, row_count_ = 0, empty_count_ = 0;
  Array<std::int32_t> row_, empty_;  ///< rows with entries, in order, and without
  Array<std::int32_t> open_;         ///< [tile][lane] place in row_ of the row open before the lane
  Array<std::uint8_t> starts_;       ///< [tile][step] a bit per lane: a row begins here
  ColumnStore<index_bits, size> columns_;
  Array<Stored> value_;
  Array<double> head_;  ///< [share * 8]
};

}  // namespace spmv_kernel
