// Rows in ranges of about equal work, one block each (CSR-adaptive: Greathouse and Daga, SC 2014):
// many short rows through shared memory, few rows by warps, one row by the block, and rows that are
// longer still in parts whose sums meet at the end. The caller keeps the layout as it was built.
#pragma once
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include "cuda_matrix.h"
#endif

namespace spmv_kernel {

/// Entries of a range of short rows: what the shared memory of a block holds.
constexpr int range_entries = KNOB_BLOCK * KNOB_ITEMS;

struct RangesView {
  /// Whole rows: first row, rows, first and last + 1 entry. Part of a row: place in long_row,
  /// ~place of its sum, first and last + 1 entry.
  const int4* range;
  const int4* long_row;  ///< row, places of its first and last + 1 sum
  const Int32 *pointer, *column;
  const Stored* value;
  double* part_sum;
  unsigned* parts_done;  ///< per long row
};

/// Sum of every `step`th product from `from` on.
__device__ __forceinline__ double strided_sum(const RangesView& a, const double* x, Int64 from,
                                              Int64 to, int step) {
  double sum[unroll] = {};
#pragma unroll 1
  for (Int64 first = from; first < to; first += step * unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 k = first + u * step;
      if (k < to)
        sum[u] = added(sum[u], from_matrix(a.value + k), from_x(x + from_matrix(a.column + k)));
    }
  }
#pragma unroll
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  return sum[0];
}

/// The sum of a part of a long row, by the first thread of its block.
__device__ __forceinline__ void finish_part(const RangesView& a, const int4& range, double sum,
                                            double* y) {
#if KNOB_FINISH == KNOB_FINISH_ATOMICS
  atomicAdd(y + a.long_row[range.x].x, sum);
#else
  (void)y;
  rooftune::store_l2(a.part_sum + ~range.y, sum);
#endif
#if KNOB_FINISH == KNOB_FINISH_LAST_BLOCK
  const int4 row = a.long_row[range.x];
  __threadfence();
  const unsigned last = static_cast<unsigned>(row.z - row.y) - 1;
  if (atomicInc(a.parts_done + range.x, last) != last) return;
  __threadfence();
  double total = 0;
  for (Int32 part = row.y; part < row.z; ++part) total += rooftune::load_l2(a.part_sum + part);
  y[row.x] = total;
#endif
}

__device__ __forceinline__ void rows_by_warps(const RangesView& a, const int4& range,
                                              const double* x, double* y) {
  const int lane = static_cast<int>(threadIdx.x % warp_threads);
  for (Int32 i = static_cast<Int32>(threadIdx.x / warp_threads); i < range.y; i += warps) {
    const Int32 row = range.x + i;
    const double sum = lane_sum<warp_threads>(
        strided_sum(a, x, Int64{a.pointer[row]} + lane, a.pointer[row + 1], warp_threads));
    if (lane == 0) to_y(y + row, sum);
  }
}

/// Lanes that share a row: 1, or the power of two for which the block just holds all the rows.
__device__ __forceinline__ int lanes_for(Int32 rows) {
  int lanes = 1;
  if (KNOB_SHARE_ROWS)
    while (lanes < warp_threads && rows * 2 * lanes <= block) lanes *= 2;
  return lanes;
}

__device__ __forceinline__ void rows_through_shared(const RangesView& a, const int4& range,
                                                    const double* x, double* y, double* product) {
#pragma unroll unroll
  for (int k = static_cast<int>(threadIdx.x); k < range.w - range.z; k += block)
    product[k] = added(0, from_matrix(a.value + range.z + k),
                       from_x(x + from_matrix(a.column + range.z + k)));
  __syncthreads();
  const int lanes = lanes_for(range.y), group = static_cast<int>(threadIdx.x) / lanes;
  const int lane = static_cast<int>(threadIdx.x) % lanes, groups = block / lanes;
#pragma unroll 1
  for (Int32 first = 0; first < range.y; first += groups) {
    const Int32 row = range.x + first + group;
    const bool exists = first + group < range.y;
    double sum = 0;
    if (exists)
      for (Int32 k = a.pointer[row] - range.z + lane; k < a.pointer[row + 1] - range.z; k += lanes)
        sum += product[k];
    for (int distance = lanes / 2; distance > 0; distance /= 2)
      sum += rooftune::shuffle_down(sum, static_cast<unsigned>(distance), lanes);
    if (exists && lane == 0) to_y(y + row, sum);
  }
}

}  // namespace spmv_kernel

/// One block per range; `ranges` of long rows' parts need no shared memory.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_ranges(spmv_kernel::RangesView a, const double* x, double* y) {
  using namespace spmv_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, product);
  const int4 range = a.range[blockIdx.x];
  if (range.y <= 1) {
    const double sum = block_sum(strided_sum(a, x, Int64{range.z} + threadIdx.x, range.w, block));
    if (threadIdx.x != 0) return;
    if (range.y == 1)
      to_y(y + range.x, sum);
    else
      finish_part(a, range, sum, y);
  } else if (range.y <= KNOB_FEW_ROWS) {
    rows_by_warps(a, range, x, y);
  } else {
    rows_through_shared(a, range, x, y, product);
  }
}

/// One thread per long row: before the parts, or after them.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_long_rows(spmv_kernel::RangesView a, rooftune::Int64 count, double* y) {
  const rooftune::Int64 i = rooftune::Int64{blockIdx.x} * KNOB_BLOCK + threadIdx.x;
  if (i >= count) return;
  const int4 row = a.long_row[i];
  double sum = 0;
#if KNOB_FINISH != KNOB_FINISH_ATOMICS
  for (rooftune::Int32 part = row.y; part < row.z; ++part) sum += a.part_sum[part];
#endif
  y[row.x] = sum;
}

#if ROOFTUNE_HOST
namespace spmv_kernel {

/// Ranges of all rows of a matrix, or parts of those rows that another layout leaves out.
class Ranges {
 public:
  void build(const Csr& a) {
    start(a);
    const std::int64_t most_rows = std::int64_t{KNOB_BLOCK} * KNOB_ITEMS;
    for (std::int64_t row = 0; row < a.rows;) {
      std::int64_t next = row;
      while (next < a.rows && next - row < most_rows &&
             a.pointer[next + 1] - a.pointer[row] <= range_entries)
        ++next;
      if (next == row) {
        if (a.length(row) > KNOB_PART_ENTRIES)
          add_parts(a, row, row);
        else
          add(row, 1, a.pointer[row], a.pointer[row + 1]);
        ++row;
      } else {
        add(row, next - row, a.pointer[row], a.pointer[next]);
        row = next;
      }
    }
    copy();
  }

  /// Every row of `a` in parts; results go to target[row].
  void build_parts(const Csr& a, const std::vector<std::int32_t>& target) {
    start(a);
    for (std::int64_t row = 0; row < a.rows; ++row)
      add_parts(a, row, target[static_cast<std::size_t>(row)]);
    copy();
  }

  void multiply(const double* x, double* y, std::int64_t shared_bytes) const {
    const auto ranges = static_cast<std::int64_t>(range_.size());
    const auto long_rows = static_cast<std::int64_t>(long_row_.size());
    const std::int64_t blocks = rooftune::blocks_for(long_rows, KNOB_BLOCK);
    if (long_rows > 0 && KNOB_FINISH == KNOB_FINISH_ATOMICS)
      ROOFTUNE_LAUNCH(spmv_long_rows, blocks, KNOB_BLOCK, 0, view_, long_rows, y);
    if (ranges > 0) ROOFTUNE_LAUNCH(spmv_ranges, ranges, KNOB_BLOCK, shared_bytes, view_, x, y);
    if (long_rows > 0 && KNOB_FINISH == KNOB_FINISH_SECOND_LAUNCH)
      ROOFTUNE_LAUNCH(spmv_long_rows, blocks, KNOB_BLOCK, 0, view_, long_rows, y);
  }

 private:
  void start(const Csr& a) {
    range_.clear();
    long_row_.clear();
    parts_ = 0;
    rows_.copy(a);
  }

  void add(std::int64_t x, std::int64_t y, std::int64_t from, std::int64_t to) {
    range_.push_back(make_int4(static_cast<int>(x), static_cast<int>(y), static_cast<int>(from),
                               static_cast<int>(to)));
  }

  void add_parts(const Csr& a, std::int64_t row, std::int64_t target) {
    const std::int64_t first = parts_, place = static_cast<std::int64_t>(long_row_.size());
    for (std::int64_t k = a.pointer[row]; k < a.pointer[row + 1]; k += KNOB_PART_ENTRIES) {
      const std::int64_t end = k + KNOB_PART_ENTRIES;
      add(place, ~parts_++, k, end < a.pointer[row + 1] ? end : a.pointer[row + 1]);
    }
    long_row_.push_back(
        make_int4(static_cast<int>(target), static_cast<int>(first), static_cast<int>(parts_), 0));
  }

  void copy() {
    copy_vector(ranges_, range_);
    copy_vector(long_rows_, long_row_);
    view_ = {ranges_.data(),
             long_rows_.data(),
             rows_.pointer.data(),
             rows_.column.data(),
             rows_.value.data(),
             part_sum_.reserve(parts_),
             parts_done_.zeroed(static_cast<std::int64_t>(long_row_.size()))};
  }

  CardRows rows_;
  std::vector<int4> range_, long_row_;
  std::int64_t parts_ = 0;
  rooftune::DeviceBuffer<int4> ranges_, long_rows_;
  rooftune::DeviceBuffer<double> part_sum_;
  rooftune::DeviceBuffer<unsigned> parts_done_;
  RangesView view_{};
};

#if KNOB_METHOD == KNOB_METHOD_ADAPTIVE
class Layout {
 public:
  void build(const Csr& a) { ranges_.build(a); }
  void multiply(const double* x, double* y) const {
    ranges_.multiply(x, y, std::int64_t{range_entries} * 8);
  }

 private:
  Ranges ranges_;
};
#endif

}  // namespace spmv_kernel
#endif
