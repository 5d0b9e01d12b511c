// Compressed columns as products read them, on every back end: of 32 bits, or of 16 behind a base
// per unit. A unit is a row, a block row, a tile or a chunk. One whose columns span more than 16
// bits keeps 32, apart from the others.
#pragma once
#include "rooftune/portable.h"

namespace spmv_kernel {

/// `Bits` is 16 or 32. Units that are kept apart start at multiples of `Grain` columns.
template <int Bits, rooftune::Int64 Grain = 1>
struct ColumnsView {
  const rooftune::Int32* wide = nullptr;   ///< with 16 bits: of the units kept apart
  const unsigned short* narrow = nullptr;  ///< behind the base of their unit
  const rooftune::Int32* base = nullptr;  ///< [units]; negative: ~first grain of the unit in `wide`

  /// body(c, origin, apart) for column k of unit u, which is column `slot` of all units. The column
  /// is origin + c[0], and what follows it in the unit follows c[0]. `apart`: in 32 bits among 16.
  template <class Body>
  ROOFTUNE_FUNCTION auto visit(rooftune::Int64 u, rooftune::Int64 slot, rooftune::Int64 k,
                               const Body& body) const {
    if constexpr (Bits == 16) {
      const rooftune::Int32 origin = base[u];
      if (origin >= 0) return body(narrow + slot, rooftune::Int64{origin}, false);
      return body(wide + rooftune::Int64{~origin} * Grain + k, rooftune::Int64{0}, true);
    } else {
      return body(wide + slot, rooftune::Int64{0}, false);
    }
  }

  /// The column itself.
  ROOFTUNE_FUNCTION rooftune::Int64 at(rooftune::Int64 u, rooftune::Int64 slot,
                                       rooftune::Int64 k) const {
    return visit(u, slot, k, [](const auto* c, rooftune::Int64 origin, bool) {
      return origin + static_cast<rooftune::Int64>(*c);
    });
  }
};

/// Rows as products read them.
template <class Value, int Bits>
struct RowsView {
  rooftune::Int64 rows = 0;
  const rooftune::Int32* pointer = nullptr;  ///< [rows + 1]
  const Value* value = nullptr;
  ColumnsView<Bits> columns;  ///< a unit is a row
};

}  // namespace spmv_kernel
