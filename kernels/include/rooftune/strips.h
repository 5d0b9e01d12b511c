// An index range cut into strips that are shared among the OpenMP threads.
// The caller's body must be safe to run on disjoint strips at the same time.
#pragma once
#include <omp.h>

#include <cstdint>

namespace rooftune {

/// [low, high) in pieces of `length`, the last one shorter.
struct Strips {
  std::int64_t low, high, length;
  bool per_thread;  ///< one piece per thread, so no schedule is needed

  std::int64_t count() const { return high > low ? (high - low + length - 1) / length : 0; }
  std::int64_t from(std::int64_t strip) const { return low + strip * length; }
  std::int64_t to(std::int64_t strip) const {
    return from(strip) + length < high ? from(strip) + length : high;
  }
};

/// `block` > 0: strips of that length; 0: one per thread, cut at multiples of a cache line of
/// doubles.
inline Strips strips(std::int64_t low, std::int64_t high, std::int64_t block) {
  if (block > 0) return {low, high, block, false};
  const std::int64_t threads = omp_get_max_threads();
  const std::int64_t share = high > low ? (high - low + threads - 1) / threads : 1;
  return {low, high, (share + 7) / 8 * 8, true};
}

/// Calls body(strip, from, to) for every strip: static when there is one per thread, else
/// schedule(runtime).
template <class Body>
inline void for_each(const Strips& strips, const Body& body) {
  const std::int64_t count = strips.count();
  // A parallel region costs more than an array that fits the inner caches.
  if (count == 1) return body(0, strips.from(0), strips.to(0));
  if (strips.per_thread) {
#pragma omp parallel for schedule(static)
    for (std::int64_t s = 0; s < count; ++s) body(s, strips.from(s), strips.to(s));
  } else {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t s = 0; s < count; ++s) body(s, strips.from(s), strips.to(s));
  }
}

/// for_each without the strip's number: body(from, to).
template <class Body>
inline void for_strips(std::int64_t low, std::int64_t high, std::int64_t block, const Body& body) {
  for_each(strips(low, high, block),
           [&body](std::int64_t, std::int64_t from, std::int64_t to) { body(from, to); });
}

}  // namespace rooftune
