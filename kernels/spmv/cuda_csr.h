// CSR on a GPU: KNOB_ROW_THREADS neighbouring lanes per row (1: the scalar form, 32: a warp per
// row), several sums per lane, pairs of entries per load, columns of 32 bits or of 16 behind a base
// per row. The caller builds before it launches.
#pragma once
#include "columns.h"
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include "cuda_matrix.h"
#endif

namespace spmv_kernel {

using StoredRows = RowsView<Stored, index_bits>;
constexpr int row_threads = KNOB_ROW_THREADS;

/// What lane `lane` of the row's lanes has to add up of entries [from, to).
template <class Index>
__device__ __forceinline__ double lane_part(const Stored* value, const Index* column,
                                            const double* x, Int32 from, Int32 to, int lane) {
  double sum[unroll] = {};
#if KNOB_PAIRS
  constexpr Int32 step = 2 * row_threads;
#pragma unroll 1
  for (Int64 first = (from & ~1) + 2 * lane; first < to; first += step * unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 k = first + u * step;
      if (k >= to) continue;
      const ValuePair v = value_pair(value + k);
      const ColumnPair c = column_pair(column + k);
      if (k >= from) sum[u] = added(sum[u], v.x, from_x(x + c.x));
      if (k + 1 < to) sum[u] = added(sum[u], v.y, from_x(x + c.y));
    }
  }
#else
#pragma unroll 1
  for (Int64 first = Int64{from} + lane; first < to; first += row_threads * unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 k = first + u * row_threads;
      if (k < to)
        sum[u] = added(sum[u], from_matrix(value + k), from_x(x + from_matrix(column + k)));
    }
  }
#endif
#pragma unroll
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  return sum[0];
}

__device__ __forceinline__ double lane_part_of_row(const StoredRows& a, Int64 row, const double* x,
                                                   int lane) {
  const Int32 from = a.pointer[row], to = a.pointer[row + 1];
  return a.columns.visit(row, 0, -Int64{from}, [&](const auto* column, Int64 origin, bool) {
    return lane_part(a.value, column, x + origin, from, to, lane);
  });
}

}  // namespace spmv_kernel

/// Warps take the next rows together, so that all lanes meet in the sum over lanes.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_rows(spmv_kernel::StoredRows a, const double* x, double* y) {
  using namespace spmv_kernel;
  constexpr int rows_per_warp = warp_threads / row_threads;
  const int lane = static_cast<int>(threadIdx.x) % row_threads;
  const int mine = static_cast<int>(threadIdx.x) % warp_threads / row_threads;
  const Int64 warp = Int64{blockIdx.x} * warps + threadIdx.x / warp_threads;
  const Int64 step = Int64{gridDim.x} * warps * rows_per_warp;
  for (Int64 first = warp * rows_per_warp; first < a.rows; first += step) {
    const Int64 row = first + mine;
    double sum = row < a.rows ? lane_part_of_row(a, row, x, lane) : 0;
    sum = lane_sum<row_threads>(sum);
    if (lane == 0 && row < a.rows) to_y(y + row, sum);
  }
}

#if ROOFTUNE_HOST
namespace spmv_kernel {

class Layout {
 public:
  void build(const Csr& a) {
    rows_.pointer.copy_in(a.pointer, a.rows + 1);
    rows_.copy_values(a.value, a.entries());
    ColumnStore<index_bits> columns;
    columns.start(a.rows);
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (a.length(i) == 0) continue;
      // Pairs of columns lie under pairs of values, also where they are kept apart.
      columns.align(a.pointer[i] % 2);
      columns.unit(i, a.column[a.pointer[i]], a.column[a.pointer[i + 1] - 1], a.length(i));
    }
    columns.make(a.entries());
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t k = a.pointer[i]; k < a.pointer[i + 1]; ++k)
        columns.put(i, k, k - a.pointer[i], a.column[k]);
    view_ = {a.rows, rows_.pointer.data(), rows_.value.data(),
             columns_.copy(columns, a.rows, a.entries())};
  }

  void multiply(const double* x, double* y) const {
    std::int64_t blocks = rooftune::blocks_for(view_.rows * row_threads, block);
    if (KNOB_PERSISTENT) {
      const std::int64_t resident = ROOFTUNE_PERSISTENT_BLOCKS(spmv_rows, KNOB_BLOCK, 0);
      if (resident < blocks) blocks = resident;
    }
    ROOFTUNE_LAUNCH(spmv_rows, blocks, KNOB_BLOCK, 0, view_, x, y);
  }

 private:
  CardRows rows_;
  CardColumns<index_bits> columns_;
  StoredRows view_;
};

}  // namespace spmv_kernel
#endif
