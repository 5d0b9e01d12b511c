// What every layout copies to the card; host code only.
#pragma once
#include <cstdint>
#include <vector>

#include "column_store.h"
#include "csr.h"
#include "cuda_loads.h"

namespace spmv_kernel {

/// Entries that a load of a pair may touch beyond the last one.
constexpr std::int64_t beyond = 2;

/// The arrays of CSR on the card.
struct CardRows {
  rooftune::DeviceBuffer<Int32> pointer, column;
  rooftune::DeviceBuffer<Stored> value;

  void copy(const Csr& a) {
    pointer.copy_in(a.pointer, a.rows + 1);
    copy_padded(column, a.column, a.entries(), beyond);
    copy_values(a.value, a.entries());
  }
  void copy_values(const double* from, std::int64_t count) {
    const std::vector<Stored> stored(from, from + count);
    copy_padded(value, stored.data(), count, beyond);
  }
};

/// Compressed columns on the card.
template <int Bits, std::int64_t Grain = 1>
struct CardColumns {
  rooftune::DeviceBuffer<Int32> base, wide;
  rooftune::DeviceBuffer<unsigned short> narrow;

  /// Of `units` units with `count` columns.
  ColumnsView<Bits, Grain> copy(const ColumnStore<Bits, Grain>& from, std::int64_t units,
                                std::int64_t count) {
    copy_padded(wide, from.wide.at, from.wide_count, beyond);
    if (Bits != 16) return {wide.data()};
    copy_padded(narrow, from.narrow.at, count, beyond);
    return {wide.data(), narrow.data(), base.copy_in(from.base.at, units)};
  }
};

template <class T>
inline void copy_vector(rooftune::DeviceBuffer<T>& buffer, const std::vector<T>& from) {
  buffer.copy_in(from.data(), static_cast<std::int64_t>(from.size()));
}

}  // namespace spmv_kernel
