// CUDA's device language for a host compiler: marks, built-in variables, barriers, shuffles,
// atomics and intrinsics, as far as the kernels use them. Included by rooftune/gpu.h; one thread
// runs at a time, so atomics are plain.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "rooftune/cuda_async_emulation.h"
#include "rooftune/cuda_device.h"
#include "rooftune/portable.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __constant__ static
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

namespace rooftune {
/// The device of this variant; set before its first function is called.
static CudaDevice* cuda = nullptr;
}  // namespace rooftune

#if !defined(ROOFTUNE_LIBRARY)  // an exported library sets the device itself
/// Whoever has loaded the variant calls this first.
extern "C" __attribute__((visibility("default"))) void rt_attach(rooftune::CudaDevice* device) {
  rooftune::cuda = device;
}
#endif

#define threadIdx (rooftune::cuda->thread->thread)
#define blockIdx (rooftune::cuda->thread->block)
#define blockDim (rooftune::cuda->thread->block_size)
#define gridDim (rooftune::cuda->thread->grid_size)
#define warpSize ROOFTUNE_WARP

using dim3 = rooftune::CudaSize;
struct alignas(8) int2 {
  int x, y;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float3 make_float3(float x, float y, float z) { return {x, y, z}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline double2 make_double2(double x, double y) { return {x, y}; }

inline void __syncthreads() { rooftune::cuda->barrier(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __syncwarp(std::uint64_t mask = ~std::uint64_t{0}) {
  const char nothing = 0;
  rooftune::cuda->exchange(mask, &nothing, 1);
}

namespace rooftune {
/// A bit for each lane.
using Ballot = std::conditional_t<(ROOFTUNE_WARP > 32), std::uint64_t, unsigned>;
/// What lane `source` gives, or what this lane gives when `source` is not in its segment.
template <class T>
T shuffled(std::uint64_t mask, T value, int source, bool in_segment) {
  static_assert(sizeof(T) <= 16);
  const unsigned char* all = cuda->exchange(mask, &value, sizeof(T));
  T result = value;
  if (in_segment) std::memcpy(&result, all + 16 * source, sizeof(T));
  return result;
}
}  // namespace rooftune

template <class T>
T __shfl_sync(std::uint64_t mask, T value, int source, int width = ROOFTUNE_WARP) {
  const int lane = rooftune::cuda->thread->lane;
  return rooftune::shuffled(mask, value, lane / width * width + source % width, true);
}
template <class T>
T __shfl_down_sync(std::uint64_t mask, T value, unsigned delta, int width = ROOFTUNE_WARP) {
  const int lane = rooftune::cuda->thread->lane, source = lane + static_cast<int>(delta);
  return rooftune::shuffled(mask, value, source, source / width == lane / width);
}
template <class T>
T __shfl_up_sync(std::uint64_t mask, T value, unsigned delta, int width = ROOFTUNE_WARP) {
  const int lane = rooftune::cuda->thread->lane, source = lane - static_cast<int>(delta);
  return rooftune::shuffled(mask, value, source, source >= lane / width * width);
}
template <class T>
T __shfl_xor_sync(std::uint64_t mask, T value, int lanes, int width = ROOFTUNE_WARP) {
  const int lane = rooftune::cuda->thread->lane, source = lane ^ lanes;
  return rooftune::shuffled(mask, value, source, source / width == lane / width);
}
inline rooftune::Ballot __ballot_sync(std::uint64_t mask, int predicate) {
  const unsigned char yes = predicate != 0;
  const unsigned char* all = rooftune::cuda->exchange(mask, &yes, 1);
  rooftune::Ballot result = 0;
  for (int lane = 0; lane < ROOFTUNE_WARP; ++lane)
    if ((mask >> lane & 1u) != 0 && all[16 * lane] != 0) result |= rooftune::Ballot{1} << lane;
  return result;
}
inline int __any_sync(std::uint64_t mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
inline int __all_sync(std::uint64_t mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}

// A value converts to the target's type.
template <class T>
T atomicAdd(T* target, std::common_type_t<T> value) {
  const T before = *target;
  *target = before + value;
  return before;
}
template <class T>
T atomicMax(T* target, std::common_type_t<T> value) {
  const T before = *target;
  if (value > before) *target = value;
  return before;
}
template <class T>
T atomicMin(T* target, std::common_type_t<T> value) {
  const T before = *target;
  if (value < before) *target = value;
  return before;
}
template <class T>
T atomicExch(T* target, std::common_type_t<T> value) {
  const T before = *target;
  *target = value;
  return before;
}
template <class T>
T atomicCAS(T* target, T expected, T value) {
  const T before = *target;
  if (before == expected) *target = value;
  return before;
}
/// Counts up to `limit`, then starts again at 0: how the last block of a grid finds itself.
inline unsigned atomicInc(unsigned* target, unsigned limit) {
  const unsigned before = *target;
  *target = before >= limit ? 0 : before + 1;
  return before;
}

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
void __stcg(T* p, T value) {
  *p = value;
}
template <class T>
void __stcs(T* p, T value) {
  *p = value;
}
template <class T>
void __stwt(T* p, T value) {
  *p = value;
}

using std::fabs;
using std::fma;
using std::fmax;
using std::fmin;
using std::sqrt;
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
// glibc has functions of these names, of its own.
#define __expf expf
#define __logf logf
#define __sinf sinf
#define __cosf cosf
inline float __fdividef(float x, float y) { return x / y; }
inline double __drcp_rn(double x) { return 1 / x; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
/// Cycles that mean nothing but grow.
inline long long clock64() {
  static long long cycles = 0;
  return ++cycles;
}
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
template <class T, class U>
std::common_type_t<T, U> min(T a, U b) {
  return b < a ? b : a;
}
template <class T, class U>
std::common_type_t<T, U> max(T a, U b) {
  return a < b ? b : a;
}

/// The high 32 bits.
inline int __double2hiint(double x) {
  std::int64_t bits;
  std::memcpy(&bits, &x, 8);
  return static_cast<int>(bits >> 32);
}

namespace rooftune {
/// With the low word empty, as the card gives it.
inline double approximate_reciprocal(double x) {
  const double r = 1 / x;
  std::int64_t bits;
  std::memcpy(&bits, &r, 8);
  bits &= ~std::int64_t{0xffffffff};
  double high;
  std::memcpy(&high, &bits, 8);
  return high;
}
/// Nothing is kept in registers where one thread runs at a time.
inline void forget_memory() {}
inline double load_anew(const double* p) { return *p; }
inline void async_copy16(void* shared, const void* global) {
  emulate_copy(*cuda->thread, shared, global, 16);
}
inline void async_copy8(void* shared, const void* global) {
  emulate_copy(*cuda->thread, shared, global, 8);
}
inline void async_commit() { emulate_commit(*cuda->thread); }
template <int Pending>
void async_wait() {
  emulate_wait(*cuda->thread, Pending);
}
}  // namespace rooftune
