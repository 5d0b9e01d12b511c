// A stretch of an array fetched into shared memory by a block, in items of the knob vector, through
// registers or by asynchronous copies (knob async_copy).
// The caller's stretch starts at an item; threads meet at a barrier before they use it.
#pragma once
#include "rooftune/cuda_items.h"

namespace rooftune {

/// shared[i] = x[i] for i in [0, count).
__device__ __forceinline__ void fetch_tile(double* shared, const double* x, Int64 count) {
  CudaItem* const to = reinterpret_cast<CudaItem*>(shared);
  const CudaItem* const from = reinterpret_cast<const CudaItem*>(x);
  const Int64 items = count / KNOB_VECTOR;
#pragma unroll unrolled_items
  for (Int64 i = threadIdx.x; i < items; i += KNOB_BLOCK) {
#if KNOB_ASYNC_COPY && KNOB_VECTOR == 2
    async_copy16(to + i, from + i);
#elif KNOB_ASYNC_COPY
    async_copy8(to + i, from + i);
#else
    to[i] = load_hinted(from + i);
#endif
  }
  if (threadIdx.x < count % KNOB_VECTOR) shared[count - 1] = x[count - 1];
#if KNOB_ASYNC_COPY
  async_commit();
  async_wait<0>();
#endif
}

}  // namespace rooftune
