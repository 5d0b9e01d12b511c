// Short vectors of double whose width is a template argument, so that it can be a knob of a kernel.
// The caller keeps pointers multiples of 8 bytes; only stream() needs the full vector alignment.
#pragma once
#include <cstdint>

namespace rooftune {

/// Doubles in the widest vector register of the instruction set of this build.
#if defined(__AVX512F__)
constexpr int widest_vector = 8;
#elif defined(__AVX__)
constexpr int widest_vector = 4;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS >= 256  // -msve-vector-bits
constexpr int widest_vector = __ARM_FEATURE_SVE_BITS >= 512 ? 8 : 4;
#else
constexpr int widest_vector = 2;
#endif

template <int W>
struct Lanes {
  typedef double type __attribute__((vector_size(8 * W)));
};
template <>
struct Lanes<1> {
  typedef double type;
};
template <int W>
using Vector = typename Lanes<W>::type;

#define ROOFTUNE_INLINE inline __attribute__((always_inline))

/// Loads W doubles from any address.
template <int W>
ROOFTUNE_INLINE Vector<W> load(const double* p) {
  Vector<W> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

/// Keeps the compiler from joining scalars into vectors behind a knob that says "scalar".
template <int W>
ROOFTUNE_INLINE void stay_scalar(Vector<W>& v) {
#if defined(__x86_64__)
  if constexpr (W == 1) __asm__("" : "+x"(v));
#elif defined(__aarch64__)
  if constexpr (W == 1) __asm__("" : "+w"(v));
#endif
}

/// Stores W doubles to any address.
template <int W>
ROOFTUNE_INLINE void store(double* p, Vector<W> v) {
  stay_scalar<W>(v);
  __builtin_memcpy(p, &v, sizeof v);
}

/// Stores past the caches where the instruction set can, else ordinarily. `p` is aligned to 8 W
/// bytes; stream_fence() must follow before another thread reads.
template <int W>
ROOFTUNE_INLINE void stream(double* p, Vector<W> v) {
#if defined(__clang__)
  __builtin_nontemporal_store(v, reinterpret_cast<Vector<W>*>(p));
#else
#if defined(__AVX512F__)
  if constexpr (W == 8) return __builtin_ia32_movntpd512(p, v);
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return __builtin_ia32_movntpd256(p, v);
#endif
#if defined(__SSE2__) && defined(__x86_64__)
  if constexpr (W == 2) return __builtin_ia32_movntpd(p, v);
  if constexpr (W == 1) {
    long long bits;
    __builtin_memcpy(&bits, &v, sizeof bits);
    return __builtin_ia32_movnti64(reinterpret_cast<long long*>(p), bits);
  }
#endif
  store<W>(p, v);
#endif
}

/// Orders streamed stores before everything that follows.
ROOFTUNE_INLINE void stream_fence() {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

/// Elements 1..W-1 of `low`, then element 0 of `high`: the vector one element to the right of
/// `low`.
template <int W>
ROOFTUNE_INLINE Vector<W> shifted_right(const Vector<W>& low, const Vector<W>& high) {
  if constexpr (W == 8)
    return __builtin_shufflevector(low, high, 1, 2, 3, 4, 5, 6, 7, 8);
  else if constexpr (W == 4)
    return __builtin_shufflevector(low, high, 1, 2, 3, 4);
  else if constexpr (W == 2)
    return __builtin_shufflevector(low, high, 1, 2);
  else
    return high;
}

/// Element W-1 of `low`, then elements 0..W-2 of `high`: the vector one element to the left of
/// `high`.
template <int W>
ROOFTUNE_INLINE Vector<W> shifted_left(const Vector<W>& low, const Vector<W>& high) {
  if constexpr (W == 8)
    return __builtin_shufflevector(low, high, 7, 8, 9, 10, 11, 12, 13, 14);
  else if constexpr (W == 4)
    return __builtin_shufflevector(low, high, 3, 4, 5, 6);
  else if constexpr (W == 2)
    return __builtin_shufflevector(low, high, 1, 2);
  else
    return low;
}

/// Element W-1.
template <int W>
ROOFTUNE_INLINE double last(const Vector<W>& v) {
  if constexpr (W == 1)
    return v;
  else
    return v[W - 1];
}

/// First index in [low, high] at which `p` is a multiple of 8 W bytes (high when there is none).
template <int W>
ROOFTUNE_INLINE std::int64_t aligned_from(const double* p, std::int64_t low, std::int64_t high) {
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(p + low) / 8 % W;
  const std::int64_t first = low + (past == 0 ? 0 : W - static_cast<std::int64_t>(past));
  return first < high ? first : high;
}

/// Asks for the line `bytes` ahead of `p`; never faults, so it may point past the array.
ROOFTUNE_INLINE void prefetch(const double* p, std::int64_t bytes) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) +
                                                   static_cast<std::uintptr_t>(bytes)));
}

}  // namespace rooftune
