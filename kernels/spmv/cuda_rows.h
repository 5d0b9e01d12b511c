// CSR on a GPU: KNOB_ROW_THREADS neighbouring lanes per row (1: the scalar form, 32: a warp per
// row), several sums per lane, pairs of entries per load, columns of 32 bits or of 16 behind a base
// per row. The caller builds before it launches.
#pragma once
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include "cuda_matrix.h"
#endif

namespace spmv_cuda {

/// Rows as the kernel reads them.
struct RowsView {
  Int64 rows;
  const Int32* pointer;
  const Stored* value;
  const Int32* wide;             ///< columns; with 16 bits: of the rows that do not fit
  const unsigned short* narrow;  ///< columns behind the base of the row
  const Int32* base;             ///< [rows]; negative: ~position in `wide` of the first column
};

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
      if (k >= from) sum[u] = spmv_body::added(sum[u], v.x, from_x(x + c.x));
      if (k + 1 < to) sum[u] = spmv_body::added(sum[u], v.y, from_x(x + c.y));
    }
  }
#else
#pragma unroll 1
  for (Int64 first = Int64{from} + lane; first < to; first += row_threads * unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 k = first + u * row_threads;
      if (k < to)
        sum[u] =
            spmv_body::added(sum[u], from_matrix(value + k), from_x(x + from_matrix(column + k)));
    }
  }
#endif
#pragma unroll
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  return sum[0];
}

__device__ __forceinline__ double lane_part_of_row(const RowsView& a, Int64 row, const double* x,
                                                   int lane) {
  const Int32 from = a.pointer[row], to = a.pointer[row + 1];
#if KNOB_INDEX_BITS == 16
  const Int32 base = a.base[row];
  if (base >= 0) return lane_part(a.value, a.narrow, x + base, from, to, lane);
  return lane_part(a.value, a.wide + (Int64{~base} - from), x, from, to, lane);
#else
  return lane_part(a.value, a.wide, x, from, to, lane);
#endif
}

}  // namespace spmv_cuda

/// Warps take the next rows together, so that all lanes meet in the sum over lanes.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_rows(spmv_cuda::RowsView a, const double* x, double* y) {
  using namespace spmv_cuda;
  constexpr int rows_per_warp = 32 / row_threads;
  const int lane = static_cast<int>(threadIdx.x) % row_threads;
  const int mine = static_cast<int>(threadIdx.x) % 32 / row_threads;
  const Int64 warp = Int64{blockIdx.x} * warps + threadIdx.x / 32;
  const Int64 step = Int64{gridDim.x} * warps * rows_per_warp;
  for (Int64 first = warp * rows_per_warp; first < a.rows; first += step) {
    const Int64 row = first + mine;
    double sum = row < a.rows ? lane_part_of_row(a, row, x, lane) : 0;
    sum = lane_sum<row_threads>(sum);
    if (lane == 0 && row < a.rows) to_y(y + row, sum);
  }
}

#if ROOFTUNE_HOST
namespace spmv_cuda {

class Layout {
 public:
  void build(const Matrix& a) {
    rows_.pointer.copy_in(a.pointer, a.rows + 1);
    rows_.copy_values(a.value, a.entries());
    view_ = {a.rows, rows_.pointer.data(), rows_.value.data(), nullptr, nullptr, nullptr};
#if KNOB_INDEX_BITS == 16
    narrow_columns(a);
#else
    view_.wide = copy_padded(rows_.column, a.column, a.entries(), beyond);
#endif
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
#if KNOB_INDEX_BITS == 16
  void narrow_columns(const Matrix& a) {
    std::vector<std::int32_t> base(static_cast<std::size_t>(a.rows)), wide;
    std::vector<unsigned short> narrow(static_cast<std::size_t>(a.entries()));
    for (std::int64_t i = 0; i < a.rows; ++i) {
      const std::int32_t from = a.pointer[i], to = a.pointer[i + 1];
      std::int32_t& origin = base[static_cast<std::size_t>(i)];
      if (from < to) origin = a.column[from];
      if (from == to || a.column[to - 1] - origin <= 65535) {
        for (std::int32_t k = from; k < to; ++k)
          narrow[static_cast<std::size_t>(k)] = static_cast<unsigned short>(a.column[k] - origin);
        continue;
      }
      // Pairs of wide columns lie under pairs of values.
      if (wide.size() % 2 != static_cast<std::size_t>(from % 2)) wide.push_back(0);
      origin = ~static_cast<std::int32_t>(wide.size());
      wide.insert(wide.end(), a.column + from, a.column + to);
    }
    copy_vector(base_, base);
    view_.base = base_.data();
    view_.narrow = copy_padded(narrow_, narrow.data(), a.entries(), beyond);
    view_.wide =
        copy_padded(rows_.column, wide.data(), static_cast<std::int64_t>(wide.size()), beyond);
  }
#endif

  CardRows rows_;
  rooftune::DeviceBuffer<Int32> base_;
  rooftune::DeviceBuffer<unsigned short> narrow_;
  RowsView view_{};
};

}  // namespace spmv_cuda
#endif
