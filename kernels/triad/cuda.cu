// STREAM triad in CUDA: items of one or two doubles, one grid-wide step per thread or a persistent
// grid. The caller provides n elements in each array; a overlaps neither b nor c.
#include "body.h"
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
#ifndef KNOB_LOADS
#define KNOB_LOADS_PLAIN 0
#define KNOB_LOADS_READ_ONLY 1
#define KNOB_LOADS_STREAMING 2
#define KNOB_LOADS KNOB_LOADS_PLAIN
#endif
#ifndef KNOB_STORES
#define KNOB_STORES_PLAIN 0
#define KNOB_STORES_STREAMING 1
#define KNOB_STORES KNOB_STORES_PLAIN
#endif

namespace triad_cuda {

using rooftune::Int64;

#if KNOB_VECTOR == 2
using Item = double2;
__device__ __forceinline__ Item result(Item b, double s, Item c) {
  return make_double2(triad_body::value(b.x, s, c.x), triad_body::value(b.y, s, c.y));
}
#else
using Item = double;
__device__ __forceinline__ Item result(Item b, double s, Item c) {
  return triad_body::value(b, s, c);
}
#endif

__device__ __forceinline__ Item load(const Item* p) {
#if KNOB_LOADS == KNOB_LOADS_READ_ONLY
  return __ldg(p);
#elif KNOB_LOADS == KNOB_LOADS_STREAMING
  return __ldcs(p);
#else
  return *p;
#endif
}

__device__ __forceinline__ void store(Item* p, Item value) {
#if KNOB_STORES == KNOB_STORES_STREAMING
  __stcs(p, value);
#else
  *p = value;
#endif
}

}  // namespace triad_cuda

/// Threads take KNOB_ITEMS items a block apart, then move on by the whole grid.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    triad_items(rooftune::Int64 n, double s, const double* __restrict__ b,
                const double* __restrict__ c, double* __restrict__ a) {
  using namespace triad_cuda;
  constexpr Int64 tile = Int64{KNOB_BLOCK} * KNOB_ITEMS;
  const Int64 items = n / KNOB_VECTOR;
  const Item* const bs = reinterpret_cast<const Item*>(b);
  const Item* const cs = reinterpret_cast<const Item*>(c);
  Item* const as = reinterpret_cast<Item*>(a);
  for (Int64 first = blockIdx.x * tile + threadIdx.x; first < items; first += gridDim.x * tile) {
#pragma unroll
    for (int u = 0; u < KNOB_ITEMS; ++u) {
      const Int64 i = first + Int64{u} * KNOB_BLOCK;
      if (i < items) store(as + i, result(load(bs + i), s, load(cs + i)));
    }
  }
  // What is left when n is no multiple of the vector's length.
  if (blockIdx.x == 0 && threadIdx.x < n % KNOB_VECTOR)
    triad_body::element(n - 1 - threadIdx.x, s, b, c, a);
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> b_on_card, c_on_card, a_on_card;

void triad_prepare(std::int64_t n, double, const double* b, const double* c, double*) {
  b_on_card.copy_in(b, n);
  c_on_card.copy_in(c, n);
  a_on_card.reserve(n);
}

void triad(std::int64_t n, double s, const double*, const double*, double*) {
  std::int64_t blocks =
      rooftune::blocks_for(n, std::int64_t{KNOB_BLOCK} * KNOB_ITEMS * KNOB_VECTOR);
  if (KNOB_PERSISTENT) {
    const std::int64_t resident = ROOFTUNE_PERSISTENT_BLOCKS(triad_items, KNOB_BLOCK, 0);
    if (resident < blocks) blocks = resident;
  }
  ROOFTUNE_LAUNCH(triad_items, blocks, KNOB_BLOCK, 0, n, s, b_on_card.data(), c_on_card.data(),
                  a_on_card.data());
}

void triad_finish(std::int64_t n, double, const double*, const double*, double* a) {
  a_on_card.copy_out(a, n);
}

#endif
