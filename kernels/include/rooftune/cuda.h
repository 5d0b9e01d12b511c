// What a cuda.cu is written in. NVRTC and nvcc see device code; a host compiler sees the launching
// half (between #if ROOFTUNE_HOST and #endif) and the kernels as plain functions that the emulation
// runs thread by thread. The caller marks kernels ROOFTUNE_KERNEL and launches them with
// ROOFTUNE_LAUNCH.
#pragma once

#if defined(__CUDACC__)
#define ROOFTUNE_HOST 0
/// In front of a kernel: found by its plain name in the cubin.
#define ROOFTUNE_KERNEL extern "C" __global__ void
/// name is T*, the dynamic shared memory of the block, aligned to 16 bytes.
#define ROOFTUNE_DYNAMIC_SHARED(T, name)                        \
  extern __shared__ __align__(16) unsigned char shared_bytes[]; \
  T* const name = reinterpret_cast<T*>(shared_bytes)
#include "rooftune/portable.h"

namespace rooftune {

/// 1/x to 20 bits in one instruction, for positive normal x; the caller refines.
__device__ __forceinline__ double approximate_reciprocal(double x) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
  return r;
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

#else  // a host compiler
#define ROOFTUNE_HOST 1
#define ROOFTUNE_KERNEL static void
#define ROOFTUNE_DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(rooftune::cuda->shared)
#include "rooftune/cuda_device.h"
#include "rooftune/cuda_emulation.h"
#include "rooftune/cuda_launch.h"
#endif
