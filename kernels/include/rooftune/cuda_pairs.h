// target_i = value(first_i, second_i) over long arrays: through registers, or through slots of
// shared memory that asynchronous copies fill some steps ahead (knob async_stages).
// The caller's body has pointers first, second and target, value() for two doubles, and says
// whether it `updates` second, that is, whether target is the same array.
#pragma once
#include "rooftune/cuda_items.h"

namespace rooftune {

template <class Body>
struct Pairs {
  struct Loaded {
    CudaItem first, second;
  };
  Body body;

  __device__ __forceinline__ static const CudaItem* items(const double* p) {
    return reinterpret_cast<const CudaItem*>(p);
  }
  __device__ __forceinline__ Loaded load(Int64 i, bool inside) const {
    if (!inside) return Loaded{};
    const CudaItem* const second = items(body.second) + i;
    return {load_hinted(items(body.first) + i),
            Body::updates ? load_updated(second) : load_hinted(second)};
  }
  __device__ __forceinline__ void finish(Int64 i, const Loaded& l) const {
#if KNOB_VECTOR == 2
    const CudaItem result = make_double2(body.value(l.first.x, l.second.x),  //
                                         body.value(l.first.y, l.second.y));
#else
    const CudaItem result = body.value(l.first, l.second);
#endif
    store_hinted(reinterpret_cast<CudaItem*>(body.target) + i, result);
  }
  __device__ __forceinline__ void element(Int64 i) const {
    body.target[i] = body.value(body.first[i], body.second[i]);
  }
};

/// Dynamic shared memory of a block, bytes.
constexpr Int64 pairs_shared_bytes =
    Int64{KNOB_ASYNC_STAGES} * 2 * items_of_block * Int64{sizeof(CudaItem)};

#if KNOB_ASYNC_STAGES > 0
/// Slots of one thread: nobody else reads them, so no barrier is needed.
struct PairSlots {
  CudaItem* start;

  __device__ __forceinline__ CudaItem* slot(int stage, int source, int u) const {
    return start + ((stage * 2 + source) * KNOB_ITEMS + u) * KNOB_BLOCK + threadIdx.x;
  }
  __device__ __forceinline__ static void copy(CudaItem* to, const CudaItem* from) {
#if KNOB_VECTOR == 2
    async_copy16(to, from);
#else
    async_copy8(to, from);
#endif
  }
  /// A group of copies for one step, empty beyond the end so that groups can be counted.
  __device__ __forceinline__ void fetch(int stage, Int64 first, Int64 items, const double* a,
                                        const double* b) const {
#pragma unroll
    for (int u = 0; u < KNOB_ITEMS; ++u) {
      const Int64 i = first + Int64{u} * KNOB_BLOCK;
      if (i >= items) continue;
      copy(slot(stage, 0, u), reinterpret_cast<const CudaItem*>(a) + i);
      copy(slot(stage, 1, u), reinterpret_cast<const CudaItem*>(b) + i);
    }
    async_commit();
  }
};

template <class Body>
__device__ __forceinline__ void walk_fetched(Int64 items, const Pairs<Body>& pairs) {
  ROOFTUNE_DYNAMIC_SHARED(CudaItem, shared);
  const PairSlots slots{shared};
  const double *const a = pairs.body.first, *const b = pairs.body.second;
  const Int64 stride = gridDim.x * items_of_block;
  Int64 first = blockIdx.x * items_of_block + threadIdx.x;
#pragma unroll
  for (int s = 0; s < KNOB_ASYNC_STAGES; ++s) slots.fetch(s, first + s * stride, items, a, b);
  for (int stage = 0; first < items; first += stride) {
    async_wait<KNOB_ASYNC_STAGES - 1>();
#pragma unroll
    for (int u = 0; u < KNOB_ITEMS; ++u) {
      const Int64 i = first + Int64{u} * KNOB_BLOCK;
      if (i < items) pairs.finish(i, {*slots.slot(stage, 0, u), *slots.slot(stage, 1, u)});
    }
    slots.fetch(stage, first + KNOB_ASYNC_STAGES * stride, items, a, b);
    stage = stage + 1 == KNOB_ASYNC_STAGES ? 0 : stage + 1;
  }
  async_wait<0>();
}
#endif

/// All n elements, by all threads of the grid.
template <class Body>
__device__ __forceinline__ void walk_pairs(Int64 n, const Body& body) {
  const Pairs<Body> pairs{body};
#if KNOB_ASYNC_STAGES > 0
  walk_fetched(n / KNOB_VECTOR, pairs);
#else
  walk_items(n / KNOB_VECTOR, pairs);
#endif
  walk_rest(n, pairs);
}

}  // namespace rooftune
