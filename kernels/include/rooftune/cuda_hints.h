// Loads and stores with cache hints.
#pragma once
#include "rooftune/gpu.h"

namespace rooftune {

/// Through all caches, the read-only path, past L1, evicted first. The read-only path is for arrays
/// that no thread of the launch writes.
enum class Load { plain, read_only, l2, streaming };
/// Ordinary, past L1, evicted first.
enum class Store { plain, l2, streaming };

/// One load of up to 16 bytes.
template <Load Hint, class Item>
__device__ __forceinline__ Item load(const Item* p) {
  if constexpr (Hint == Load::read_only)
    return load_read_only(p);
  else if constexpr (Hint == Load::l2)
    return load_l2(p);
  else if constexpr (Hint == Load::streaming)
    return load_streaming(p);
  else
    return *p;
}

template <Store Hint, class Item>
__device__ __forceinline__ void store(Item* p, Item value) {
  if constexpr (Hint == Store::l2)
    store_l2(p, value);
  else if constexpr (Hint == Store::streaming)
    store_streaming(p, value);
  else
    *p = value;
}

}  // namespace rooftune
