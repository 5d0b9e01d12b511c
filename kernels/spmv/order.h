// Orders of rows: by length in windows, and a stable merge sort that needs no library.
// The caller gives lengths of at least `count` rows.
#pragma once
#include <cstdint>

#include "array.h"

namespace spmv_kernel {

/// Sorts order[0..count) so that length[order[i]] falls; equal lengths keep their order.
inline void sort_by_length(std::int32_t* order, std::int64_t count, const std::int32_t* length,
                           std::int32_t* scratch) {
  for (std::int64_t run = 1; run < count; run *= 2) {
    for (std::int64_t low = 0; low + run < count; low += 2 * run) {
      const std::int64_t middle = low + run;
      const std::int64_t high = middle + run < count ? middle + run : count;
      std::int64_t left = low, right = middle;
      for (std::int64_t i = low; i < high; ++i) {
        const bool take_left =
            left < middle && (right == high || length[order[left]] >= length[order[right]]);
        scratch[i] = order[take_left ? left++ : right++];
      }
      for (std::int64_t i = low; i < high; ++i) order[i] = scratch[i];
    }
  }
}

/// Sorts each window of `window` rows (0: all rows are one window).
inline void sort_windows(std::int32_t* order, std::int64_t count, std::int64_t window,
                         const std::int32_t* length) {
  if (window == 1 || count == 0) return;
  Array<std::int32_t> scratch;
  scratch.make(count);
  const std::int64_t step = window > 0 ? window : count;
  for (std::int64_t low = 0; low < count; low += step)
    sort_by_length(order + low, low + step < count ? step : count - low, length, scratch.at);
}

}  // namespace spmv_kernel
