// Equal steps along the merge of row ends and entries (Merrill and Garland, SC 2016): a block takes
// KNOB_ITEMS steps per thread whatever the lengths of rows, and what it has of the row that goes on
// is added at the end. The caller keeps the layout as it was built.
#pragma once
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include "cuda_matrix.h"
#endif

namespace spmv_kernel {

/// Steps of a block.
constexpr int tile = KNOB_BLOCK * KNOB_ITEMS;
constexpr Int32 no_end = 0x7fffffff;

struct MergeView {
  Int64 rows, entries;
  const Int32 *pointer, *column;
  const Stored* value;
  const Int32* first_row;  ///< [blocks + 1] row at which each block starts
  double* carry;           ///< [blocks] of the row that goes on
};

/// What the block has of the merge, in shared memory.
struct Tile {
  double* product;
  Int32* end;  ///< [rows + 1] of each row, in entries of the tile
  Int32 rows, entries;
};

/// A row of the tile and the sum of its entries so far.
struct Open {
  Int32 row;
  double sum;
};

__device__ __forceinline__ Tile fetch(const MergeView& a, const double* x, Int64 row, Int64 entry,
                                      Int32 rows, Int32 entries, double* shared) {
  const Tile t = {shared, reinterpret_cast<Int32*>(shared + entries), rows, entries};
  for (Int32 i = static_cast<Int32>(threadIdx.x); i <= rows; i += block)
    t.end[i] =
        row + i < a.rows ? static_cast<Int32>(Int64{a.pointer[row + i + 1]} - entry) : no_end;
#pragma unroll unroll
  for (Int32 k = static_cast<Int32>(threadIdx.x); k < entries; k += block)
    t.product[k] =
        added(0, from_matrix(a.value + entry + k), from_x(x + from_matrix(a.column + entry + k)));
  __syncthreads();
  return t;
}

/// Row in which step `diagonal` of the tile lies.
__device__ __forceinline__ Int32 row_at(const Tile& t, Int32 diagonal) {
  Int32 low = diagonal > t.entries ? diagonal - t.entries : 0;
  Int32 high = diagonal < t.rows ? diagonal : t.rows;
  while (low < high) {
    const Int32 middle = (low + high) / 2;
    if (t.end[middle] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Adds up, within a block, the sums of neighbouring threads that have the same row. `mine`
/// becomes the sum up to this thread, the result is the one up to the thread before.
__device__ __forceinline__ Open scan(Open& mine) {
  __shared__ Int32 warp_row[warps];
  __shared__ double warp_sum[warps];
  const int lane = static_cast<int>(threadIdx.x % warp_threads),
            warp = static_cast<int>(threadIdx.x / warp_threads);
#pragma unroll
  for (int distance = 1; distance < warp_threads; distance *= 2) {
    const Int32 row = rooftune::shuffle_up(mine.row, static_cast<unsigned>(distance));
    const double sum = rooftune::shuffle_up(mine.sum, static_cast<unsigned>(distance));
    if (lane >= distance && row == mine.row) mine.sum += sum;
  }
  if (lane == warp_threads - 1) {
    warp_row[warp] = mine.row;
    warp_sum[warp] = mine.sum;
  }
  __syncthreads();
  Open before = {0, 0};
  for (int w = 0; w < warp; ++w)
    before = {warp_row[w], warp_row[w] == before.row ? before.sum + warp_sum[w] : warp_sum[w]};
  if (before.row == mine.row) mine.sum += before.sum;
  const Int32 row = rooftune::shuffle_up(mine.row, 1);
  const double sum = rooftune::shuffle_up(mine.sum, 1);
  if (lane == 0) return before;
  return {row, sum};
}

/// A row that ended in this block. What its first row lacks comes from blocks before.
__device__ __forceinline__ void put(double* y, Int32 row, double sum) {
#if KNOB_FINISH == KNOB_FINISH_ATOMICS
  if (row == 0) {
    atomicAdd(y, sum);
    return;
  }
#endif
  to_y(y + row, sum);
}

/// This thread's KNOB_ITEMS steps. A row that ends in several threads' steps is put by the last.
__device__ __forceinline__ Open walk(const Tile& t, double* y) {
  const Int32 steps = t.rows + t.entries;
  Int32 diagonal = static_cast<Int32>(threadIdx.x) * KNOB_ITEMS;
  if (diagonal > steps) diagonal = steps;
  const Int32 first = row_at(t, diagonal);
  Open open = {first, 0};
  Int32 entry = diagonal - first;
  double first_sum = 0;
#pragma unroll
  for (int step = 0; step < KNOB_ITEMS; ++step) {
    if (diagonal + step >= steps) continue;
    if (entry < t.end[open.row]) {
      open.sum += t.product[entry++];
      continue;
    }
    if (open.row == first)
      first_sum = open.sum;
    else
      put(y, open.row, open.sum);
    open = {open.row + 1, 0};
  }
  const bool ended = open.row != first;
  const Open before = scan(open);
  if (ended) put(y, first, first_sum + (before.row == first ? before.sum : 0));
  return open;
}

}  // namespace spmv_kernel

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_merge(spmv_kernel::MergeView a, const double* x, double* y) {
  using namespace spmv_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, shared);
  const Int64 steps = a.rows + a.entries;
  const Int64 from = Int64{blockIdx.x} * tile, to = from + tile < steps ? from + tile : steps;
  const Int64 row = a.first_row[blockIdx.x], last = a.first_row[blockIdx.x + 1];
  const Int32 rows = static_cast<Int32>(last - row);
  const Tile t = fetch(a, x, row, from - row, rows, static_cast<Int32>(to - from) - rows, shared);
  const Open open = walk(t, y + row);
  if (threadIdx.x != KNOB_BLOCK - 1 || last >= a.rows) return;
#if KNOB_FINISH == KNOB_FINISH_ATOMICS
  atomicAdd(y + last, open.sum);
#else
  a.carry[blockIdx.x] = open.sum;
#endif
}

/// One thread per block of spmv_merge: clears before it what blocks add to, or adds after it what
/// blocks before the last have of a row.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_merge_ends(spmv_kernel::MergeView a, rooftune::Int64 blocks, double* y) {
  const rooftune::Int64 b = rooftune::Int64{blockIdx.x} * KNOB_BLOCK + threadIdx.x;
  if (b >= blocks) return;
#if KNOB_FINISH == KNOB_FINISH_ATOMICS
  y[a.first_row[b]] = 0;
#else
  const rooftune::Int32 row = a.first_row[b + 1];
  if (row >= a.rows || (b > 0 && a.first_row[b] == row)) return;
  double sum = 0;
  for (rooftune::Int64 other = b; other < blocks && a.first_row[other + 1] == row; ++other)
    sum += a.carry[other];
  y[row] += sum;
#endif
}

#if ROOFTUNE_HOST
namespace spmv_kernel {

class Layout {
 public:
  void build(const Csr& a) {
    rows_.copy(a);
    blocks_ = rooftune::blocks_for(a.rows + a.entries(), tile);
    std::vector<std::int32_t> first(static_cast<std::size_t>(blocks_ + 1));
    for (std::int64_t b = 0; b < blocks_; ++b)
      first[static_cast<std::size_t>(b)] = static_cast<std::int32_t>(row_at_step(a, b * tile));
    first.back() = static_cast<std::int32_t>(a.rows);
    copy_vector(first_row_, first);
    view_ = {a.rows,
             a.entries(),
             rows_.pointer.data(),
             rows_.column.data(),
             rows_.value.data(),
             first_row_.data(),
             carry_.reserve(blocks_)};
  }

  void multiply(const double* x, double* y) const {
    // Products and ends of the rows of a tile, and the end of the row that goes on.
    constexpr std::int64_t shared_bytes = std::int64_t{tile} * 8 + 16;
    const std::int64_t few = rooftune::blocks_for(blocks_, KNOB_BLOCK);
    if (KNOB_FINISH == KNOB_FINISH_ATOMICS)
      ROOFTUNE_LAUNCH(spmv_merge_ends, few, KNOB_BLOCK, 0, view_, blocks_, y);
    ROOFTUNE_LAUNCH(spmv_merge, blocks_, KNOB_BLOCK, shared_bytes, view_, x, y);
    if (KNOB_FINISH != KNOB_FINISH_ATOMICS)
      ROOFTUNE_LAUNCH(spmv_merge_ends, few, KNOB_BLOCK, 0, view_, blocks_, y);
  }

 private:
  /// Rows that have ended before this step.
  static std::int64_t row_at_step(const Csr& a, std::int64_t step) {
    std::int64_t low = 0, high = a.rows;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (a.pointer[middle + 1] + middle + 1 <= step)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  CardRows rows_;
  std::int64_t blocks_ = 0;
  rooftune::DeviceBuffer<Int32> first_row_;
  rooftune::DeviceBuffer<double> carry_;
  MergeView view_{};
};

}  // namespace spmv_kernel
#endif
