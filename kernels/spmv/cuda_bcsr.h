// Register blocks row by row (BCSR) on a GPU: a warp per block row whose lanes take the elements of
// as many blocks as fit it, so that neighbouring lanes read neighbouring values. x needs
// KNOB_BLOCK_COLS - 1 readable elements beyond its end.
#pragma once
#include "cuda_loads.h"
#if ROOFTUNE_HOST
#include "cuda_register_blocks.h"
#endif

namespace spmv_kernel {

constexpr int size = height * width;
static_assert(size <= warp_threads, "a warp holds a block");
/// Blocks that a warp takes at a time.
constexpr int together = warp_threads / size;

struct BlocksView {
  Int64 rows, block_rows;
  const Int64* pointer;  ///< [block_rows + 1]
  const Int32* column;   ///< [blocks] first column
  const Stored* value;   ///< [blocks][height][width]
};

/// This lane's share of a block row: the element lane % size of every `together`th block.
__device__ __forceinline__ double lane_share(const BlocksView& a, Int64 row, int lane,
                                             const double* x) {
  double sum[unroll] = {};
  if (lane >= together * size) return 0;
  const int element = lane % size;
  const Int64 to = a.pointer[row + 1];
  x += element % width;
#pragma unroll 1
  for (Int64 first = a.pointer[row] + lane / size; first < to; first += together * unroll) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Int64 k = first + u * together;
      if (k < to)
        sum[u] = added(sum[u], from_matrix(a.value + k * size + element),
                       from_x(x + from_matrix(a.column + k)));
    }
  }
#pragma unroll
  for (int u = 1; u < unroll; ++u) sum[0] += sum[u];
  return sum[0];
}

}  // namespace spmv_kernel

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    spmv_blocks(spmv_kernel::BlocksView a, const double* x, double* y) {
  using namespace spmv_kernel;
  __shared__ double shares[warps][warp_threads];
  const int lane = static_cast<int>(threadIdx.x % warp_threads),
            warp = static_cast<int>(threadIdx.x / warp_threads);
  for (Int64 row = Int64{blockIdx.x} * warps + warp; row < a.block_rows;
       row += Int64{gridDim.x} * warps) {
    shares[warp][lane] = lane_share(a, row, lane, x);
    rooftune::sync_warp();
    if (lane < height && row * height + lane < a.rows) {
      double sum = 0;
#pragma unroll
      for (int b = 0; b < together; ++b)
#pragma unroll
        for (int j = 0; j < width; ++j) sum += shares[warp][b * size + lane * width + j];
      to_y(y + row * height + lane, sum);
    }
    rooftune::sync_warp();
  }
}

#if ROOFTUNE_HOST
namespace spmv_kernel {

class Layout {
 public:
  void build(const Csr& a) {
    RegisterBlocks blocks;
    blocks.build(a);
    copy_vector(pointer_, blocks.pointer);
    column_.copy_in(blocks.column.at, blocks.column.count);
    value_.copy_in(blocks.value.at, blocks.value.count);
    view_ = {a.rows, blocks.rows, pointer_.data(), column_.data(), value_.data()};
  }

  void multiply(const double* x, double* y) const {
    std::int64_t blocks = rooftune::blocks_for(view_.block_rows, warps);
    if (KNOB_PERSISTENT) {
      const std::int64_t resident = ROOFTUNE_PERSISTENT_BLOCKS(spmv_blocks, KNOB_BLOCK, 0);
      if (resident < blocks) blocks = resident;
    }
    ROOFTUNE_LAUNCH(spmv_blocks, blocks, KNOB_BLOCK, 0, view_, x, y);
  }

 private:
  rooftune::DeviceBuffer<Int64> pointer_;
  rooftune::DeviceBuffer<Int32> column_;
  rooftune::DeviceBuffer<Stored> value_;
  BlocksView view_{};
};

}  // namespace spmv_kernel
#endif
