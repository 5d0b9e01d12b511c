// The marks under which one kernel body is compiled by a host compiler, with Kokkos, by nvcc or
// NVRTC. The caller includes Kokkos, where it uses it, before this file.
#pragma once
#if !defined(__CUDACC_RTC__)
#include <cstdint>
#endif

/// In front of a function that every back end may call.
#if defined(KOKKOS_FORCEINLINE_FUNCTION)
#define ROOFTUNE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#elif defined(__CUDACC__)
#define ROOFTUNE_FUNCTION __host__ __device__ __forceinline__
#else
#define ROOFTUNE_FUNCTION inline __attribute__((always_inline))
#endif

#if defined(__CUDACC_RTC__)
// nvcc takes these from the host compiler; NVRTC has no host.
#define __builtin_memcpy memcpy
#define __builtin_sqrt sqrt
#define __builtin_sin sin
#define __builtin_cos cos
#define __builtin_fma fma
#define __builtin_fabs fabs
#endif

/// In front of a short loop: written out by every compiler.
#if defined(__CUDACC__)
#define ROOFTUNE_UNROLL _Pragma("unroll")
#else
#define ROOFTUNE_UNROLL _Pragma("GCC unroll 8")
#endif

namespace rooftune {

/// NVRTC has no <cstdint>; these are the types of the manifest's int32 and int64.
#if defined(__CUDACC_RTC__)
using Int32 = int;
using Int64 = long;
#else
using Int32 = std::int32_t;
using Int64 = std::int64_t;
#endif

}  // namespace rooftune
