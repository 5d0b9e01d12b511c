// CUDA's version of the small surface that kernels need beyond C++ and what CUDA and HIP spell
// alike (threadIdx, __shared__, __syncthreads, atomicAdd ...): warps, cache hints, asynchronous
// copies. Included by rooftune/gpu.h; kernels name nothing else that only CUDA has.
#pragma once
#include "rooftune/portable.h"

#if defined(__CUDACC__)
/// In front of a kernel: found by its plain name in the cubin.
#define ROOFTUNE_KERNEL extern "C" __global__ void
/// name is T*, the dynamic shared memory of the block, aligned to 16 bytes.
#define ROOFTUNE_DYNAMIC_SHARED(T, name)                        \
  extern __shared__ __align__(16) unsigned char shared_bytes[]; \
  T* const name = reinterpret_cast<T*>(shared_bytes)

namespace rooftune {

/// 1/x to 20 bits in one instruction, for positive normal x; the caller refines.
__device__ __forceinline__ double approximate_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
}

/// The compiler takes nothing in memory for known here: in a loop over what registers do not hold.
__device__ __forceinline__ void forget_memory() { asm volatile("" ::: "memory"); }

/// A load that no earlier one replaces.
__device__ __forceinline__ double load_anew(const double* p) {
  double value;
  asm volatile("ld.global.f64 %0, [%1];" : "=d"(value) : "l"(p));
  return value;
}

/// Copies 16 bytes from global to shared memory without a register in between where the card can
/// (sm_80); both addresses are multiples of 16. async_wait() makes them visible to this thread.
__device__ __forceinline__ void async_copy16(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
#else
  *static_cast<int4*>(shared) = *static_cast<const int4*>(global);
#endif
}
/// The same for 8 bytes.
__device__ __forceinline__ void async_copy8(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
#else
  *static_cast<int2*>(shared) = *static_cast<const int2*>(global);
#endif
}
/// Ends a group of copies.
__device__ __forceinline__ void async_commit() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/// Waits until at most `Pending` groups of this thread are under way.
template <int Pending>
__device__ __forceinline__ void async_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

}  // namespace rooftune

#else  // a host compiler; the functions above are those of rooftune/cuda_emulation.h
#define ROOFTUNE_KERNEL static void
#define ROOFTUNE_DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(rooftune::cuda->shared)
#endif

namespace rooftune {

/// Threads of a warp, and the mask of all its lanes.
constexpr int warp_threads = ROOFTUNE_WARP;
#if ROOFTUNE_WARP == 64
constexpr unsigned long long all_lanes = 0xffffffffffffffffu;
#else
constexpr unsigned all_lanes = 0xffffffffu;
#endif

// Between the lanes of a warp; all that have not ended take part. `width` lanes (a power of two)
// are a segment of their own: who asks beyond it gets its own value.
/// What lane `source` of the segment has.
template <class T>
__device__ __forceinline__ T shuffle(T value, int source, int width = warp_threads) {
  return __shfl_sync(all_lanes, value, source, width);
}
/// What the lane `delta` below has.
template <class T>
__device__ __forceinline__ T shuffle_up(T value, unsigned delta, int width = warp_threads) {
  return __shfl_up_sync(all_lanes, value, delta, width);
}
/// What the lane `delta` above has.
template <class T>
__device__ __forceinline__ T shuffle_down(T value, unsigned delta, int width = warp_threads) {
  return __shfl_down_sync(all_lanes, value, delta, width);
}
/// Lanes wait for each other, and see what the others have written to memory.
__device__ __forceinline__ void sync_warp() { __syncwarp(all_lanes); }

// One load or store of up to 16 bytes: through the read-only path (for arrays that no thread of the
// launch writes), past L1, evicted first.
template <class T>
__device__ __forceinline__ T load_read_only(const T* p) {
  return __ldg(p);
}
template <class T>
__device__ __forceinline__ T load_l2(const T* p) {
  return __ldcg(p);
}
template <class T>
__device__ __forceinline__ T load_streaming(const T* p) {
  return __ldcs(p);
}
template <class T>
__device__ __forceinline__ void store_l2(T* p, T value) {
  __stcg(p, value);
}
template <class T>
__device__ __forceinline__ void store_streaming(T* p, T value) {
  __stcs(p, value);
}

}  // namespace rooftune
