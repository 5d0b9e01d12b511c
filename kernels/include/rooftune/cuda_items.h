// A long array walked by a grid of threads under the knobs block, min_blocks, items, vector,
// persistent, loads and stores: what triad, euler, finite_difference and diffusion share. Arrays
// start at multiples of 16 bytes.
#pragma once
#include "rooftune/cuda_hints.h"

namespace rooftune {

constexpr Load item_loads = KNOB_LOADS == KNOB_LOADS_READ_ONLY   ? Load::read_only
                            : KNOB_LOADS == KNOB_LOADS_L2        ? Load::l2
                            : KNOB_LOADS == KNOB_LOADS_STREAMING ? Load::streaming
                                                                 : Load::plain;
constexpr Store item_stores = KNOB_STORES == KNOB_STORES_L2          ? Store::l2
                              : KNOB_STORES == KNOB_STORES_STREAMING ? Store::streaming
                                                                     : Store::plain;

template <class Item>
__device__ __forceinline__ Item load_hinted(const Item* p) {
  return load<item_loads>(p);
}

/// The same for an array that this launch writes, too: never through the read-only path.
template <class Item>
__device__ __forceinline__ Item load_updated(const Item* p) {
  return load < item_loads == Load::read_only ? Load::plain : item_loads > (p);
}

template <class Item>
__device__ __forceinline__ void store_hinted(Item* p, Item value) {
  store<item_stores>(p, value);
}

#if KNOB_VECTOR == 2
using CudaItem = double2;
#else
using CudaItem = double;
#endif

/// For #pragma unroll: nvcc does not replace macros there.
constexpr int unrolled_items = KNOB_ITEMS;

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
