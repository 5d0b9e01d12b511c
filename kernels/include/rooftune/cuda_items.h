// A long array walked by a grid of threads under the knobs block, min_blocks, items, vector,
// persistent, loads, stores and kept_in_l2: what triad, euler and finite_difference share.
// The caller's arrays start at multiples of 16 bytes; its space has every value of loads and
// stores.
#pragma once
#include "rooftune/cuda.h"

#ifndef KNOB_BLOCK
#define KNOB_BLOCK 256
#endif
#ifndef KNOB_MIN_BLOCKS
#define KNOB_MIN_BLOCKS 1
#endif
#ifndef KNOB_ITEMS
#define KNOB_ITEMS 1
#endif
#ifndef KNOB_VECTOR
#define KNOB_VECTOR 1
#endif
#ifndef KNOB_PERSISTENT
#define KNOB_PERSISTENT 0
#endif
#include "rooftune/cuda_hints.h"

namespace rooftune {

#if KNOB_VECTOR == 2
using CudaItem = double2;
#else
using CudaItem = double;
#endif

/// Items of one block in one step of its walk.
constexpr Int64 items_of_block = Int64{KNOB_BLOCK} * KNOB_ITEMS;

/// body.finish(i, body.load(i, inside)) for i in [0, items). All threads of a block call load
/// together, with inside false beyond the end; a thread has KNOB_ITEMS loads under way before it
/// finishes the first.
template <class Body>
__device__ __forceinline__ void walk_items(Int64 items, const Body& body) {
  for (Int64 start = blockIdx.x * items_of_block; start < items;
       start += gridDim.x * items_of_block) {
    const Int64 first = start + threadIdx.x;
    typename Body::Loaded loaded[KNOB_ITEMS];
    if (start + items_of_block <= items) {
#pragma unroll
      for (int u = 0; u < KNOB_ITEMS; ++u)
        loaded[u] = body.load(first + Int64{u} * KNOB_BLOCK, true);
#pragma unroll
      for (int u = 0; u < KNOB_ITEMS; ++u) body.finish(first + Int64{u} * KNOB_BLOCK, loaded[u]);
    } else {
#pragma unroll
      for (int u = 0; u < KNOB_ITEMS; ++u) {
        const Int64 i = first + Int64{u} * KNOB_BLOCK;
        loaded[u] = body.load(i, i < items);
        if (i < items) body.finish(i, loaded[u]);
      }
    }
  }
}

/// body.element(i) for the elements of [0, n) that are left when n is no multiple of the vector's
/// length.
template <class Body>
__device__ __forceinline__ void walk_rest(Int64 n, const Body& body) {
  if (KNOB_VECTOR > 1 && blockIdx.x == 0 && threadIdx.x < n % KNOB_VECTOR)
    body.element(n - 1 - threadIdx.x);
}

#if ROOFTUNE_HOST

/// Blocks of a grid that could use `blocks`: those, or as many as the card holds. Use
/// ROOFTUNE_COVERING_BLOCKS.
template <auto Kernel>
Int64 covering_blocks(const char* name, Int64 blocks, Int64 shared_bytes) {
  if (!KNOB_PERSISTENT) return blocks;
  const Int64 resident = persistent_blocks<Kernel>(name, KNOB_BLOCK, shared_bytes);
  return resident < blocks ? resident : blocks;
}
#define ROOFTUNE_COVERING_BLOCKS(kernel, blocks, shared_bytes) \
  rooftune::covering_blocks<kernel>(#kernel, blocks, shared_bytes)

/// Blocks that walk over n elements.
#define ROOFTUNE_WALKING_BLOCKS(kernel, n, shared_bytes)                                           \
  ROOFTUNE_COVERING_BLOCKS(kernel, rooftune::blocks_for(n, rooftune::items_of_block* KNOB_VECTOR), \
                           shared_bytes)

#endif

}  // namespace rooftune
