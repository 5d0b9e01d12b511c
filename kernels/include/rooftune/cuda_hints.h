// Loads and stores with the cache hints of the knobs loads and stores, and the share of the L2
// cache that the knob kept_in_l2 sets aside for an array. The caller's space may lack values.
#pragma once
#include "rooftune/cuda.h"

#ifndef KNOB_LOADS
#define KNOB_LOADS_PLAIN 0
#define KNOB_LOADS KNOB_LOADS_PLAIN
#endif
#ifndef KNOB_LOADS_READ_ONLY
#define KNOB_LOADS_READ_ONLY -1
#endif
#ifndef KNOB_LOADS_L2
#define KNOB_LOADS_L2 -2
#endif
#ifndef KNOB_LOADS_STREAMING
#define KNOB_LOADS_STREAMING -3
#endif
#ifndef KNOB_STORES
#define KNOB_STORES_PLAIN 0
#define KNOB_STORES KNOB_STORES_PLAIN
#endif
#ifndef KNOB_STORES_L2
#define KNOB_STORES_L2 -1
#endif
#ifndef KNOB_STORES_STREAMING
#define KNOB_STORES_STREAMING -2
#endif
#ifndef KNOB_KEPT_IN_L2
#define KNOB_KEPT_IN_L2 0
#endif

namespace rooftune {

/// One load of 8 or 16 bytes. read_only is for arrays that no thread of the launch writes.
template <class Item>
__device__ __forceinline__ Item load_hinted(const Item* p) {
#if KNOB_LOADS == KNOB_LOADS_READ_ONLY
  return __ldg(p);
#elif KNOB_LOADS == KNOB_LOADS_L2
  return __ldcg(p);
#elif KNOB_LOADS == KNOB_LOADS_STREAMING
  return __ldcs(p);
#else
  return *p;
#endif
}

/// The same for an array that this launch writes, too: never through the read-only path.
template <class Item>
__device__ __forceinline__ Item load_updated(const Item* p) {
#if KNOB_LOADS == KNOB_LOADS_READ_ONLY
  return *p;
#else
  return load_hinted(p);
#endif
}

template <class Item>
__device__ __forceinline__ void store_hinted(Item* p, Item value) {
#if KNOB_STORES == KNOB_STORES_L2
  __stcg(p, value);
#elif KNOB_STORES == KNOB_STORES_STREAMING
  __stcs(p, value);
#else
  *p = value;
#endif
}

#if ROOFTUNE_HOST

/// Sets KNOB_KEPT_IN_L2 per cent of the L2 cache aside for the start of an array; 0 withdraws what
/// an earlier variant asked for.
inline void keep_in_l2(const double* start, Int64 count) {
  const Int64 bytes = count * Int64{sizeof(double)};
  const Int64 share = cuda->properties().l2_bytes / 100 * KNOB_KEPT_IN_L2;
  cuda->keep_in_l2(start, bytes < share ? bytes : share);
}

#endif

}  // namespace rooftune
