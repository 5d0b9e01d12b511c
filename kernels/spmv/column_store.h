// Compressed columns while they are made, on the host: tell every unit, make room, put the columns.
#pragma once
#include "array.h"
#include "columns.h"

namespace spmv_kernel {

template <int Bits, std::int64_t Grain = 1>
class ColumnStore {
 public:
  using View = ColumnsView<Bits, Grain>;

  void start(std::int64_t units) {
    if (Bits == 16) base.make(units);
    apart_ = 0;
  }
  /// Unit u has `count` columns from `low` to `high`; a multiple of the grain. None need not be
  /// told.
  void unit(std::int64_t u, std::int32_t low, std::int32_t high, std::int64_t count) {
    if (Bits != 16) return;
    const bool fits = high - low <= 65535;
    base[u] = fits ? low : static_cast<std::int32_t>(~(apart_ / Grain));
    if (!fits) apart_ += count;
  }
  /// The next unit kept apart starts at an even place, or at an odd one.
  void align(std::int64_t parity) { apart_ += (apart_ ^ parity) & 1; }
  /// Room for the columns of all units.
  void make(std::int64_t columns) {
    if (Bits == 16) narrow.make(columns);
    wide_count = Bits == 16 ? apart_ : columns;
    wide.make(wide_count);
  }
  /// Column k of unit u, which is column `slot` of all units.
  void put(std::int64_t u, std::int64_t slot, std::int64_t k, std::int32_t column) const {
    if (Bits != 16)
      wide[slot] = column;
    else if (base[u] >= 0)
      narrow[slot] = static_cast<std::uint16_t>(column - base[u]);
    else
      wide[~base[u] * Grain + k] = column;
  }

  View view() const { return {wide.at, narrow.at, base.at}; }

  Array<std::int32_t> base, wide;
  Array<std::uint16_t> narrow;
  std::int64_t wide_count = 0;

 private:
  std::int64_t apart_ = 0;
};

}  // namespace spmv_kernel
