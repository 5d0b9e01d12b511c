// How one thread reads the matrix, x and pairs of neighbouring entries, writes y, and how threads
// add up what they have. Blocks are whole warps; every thread of a warp calls
// lane_sum, every thread of a block block_sum.
#pragma once
#include "body.h"
#include "cuda_knobs.h"
#include "rooftune/gpu.h"

namespace spmv_kernel {

using rooftune::Int32;
using rooftune::Int64;
using rooftune::warp_threads;

constexpr int block = KNOB_BLOCK, warps = block / warp_threads;
/// Entries or steps of a thread that are under way together.
constexpr int unroll = KNOB_UNROLL;

/// Register blocks, 1 x 1 where a layout has none.
constexpr bool blocked = KNOB_METHOD == KNOB_METHOD_BCSR || KNOB_BLOCKED;
constexpr int height = blocked ? KNOB_BLOCK_ROWS : 1, width = blocked ? KNOB_BLOCK_COLS : 1;

template <class T>
__device__ __forceinline__ T from_matrix(const T* p) {
#if KNOB_MATRIX_LOADS == KNOB_MATRIX_LOADS_READ_ONLY
  return rooftune::load_read_only(p);
#elif KNOB_MATRIX_LOADS == KNOB_MATRIX_LOADS_STREAMING
  return rooftune::load_streaming(p);
#else
  return *p;
#endif
}

__device__ __forceinline__ double from_x(const double* p) {
#if KNOB_X_LOADS == KNOB_X_LOADS_READ_ONLY
  return rooftune::load_read_only(p);
#else
  return *p;
#endif
}

__device__ __forceinline__ void to_y(double* p, double value) {
#if KNOB_STORES == KNOB_STORES_STREAMING
  rooftune::store_streaming(p, value);
#else
  *p = value;
#endif
}

/// Two neighbours of an array, read at once; the first is at an even position.
struct ValuePair {
  double x, y;
};
struct ColumnPair {
  Int32 x, y;
};
__device__ __forceinline__ ValuePair value_pair(const double* p) {
  const double2 both = from_matrix(reinterpret_cast<const double2*>(p));
  return {both.x, both.y};
}
__device__ __forceinline__ ValuePair value_pair(const float* p) {
  const float2 both = from_matrix(reinterpret_cast<const float2*>(p));
  return {both.x, both.y};
}
__device__ __forceinline__ ColumnPair column_pair(const Int32* p) {
  const int2 both = from_matrix(reinterpret_cast<const int2*>(p));
  return {both.x, both.y};
}
__device__ __forceinline__ ColumnPair column_pair(const unsigned short* p) {
  const unsigned both = from_matrix(reinterpret_cast<const unsigned*>(p));
  return {static_cast<Int32>(both & 0xffffu), static_cast<Int32>(both >> 16)};
}

/// Sum over `Width` neighbouring lanes, for the first of them.
template <int Width>
__device__ __forceinline__ double lane_sum(double value) {
#pragma unroll
  for (int distance = Width / 2; distance > 0; distance /= 2)
    value += rooftune::shuffle_down(value, static_cast<unsigned>(distance), Width);
  return value;
}

/// Sum over the block, for its first thread.
__device__ __forceinline__ double block_sum(double value) {
  __shared__ double of_warp[warps];
  value = lane_sum<warp_threads>(value);
  if (threadIdx.x % warp_threads == 0) of_warp[threadIdx.x / warp_threads] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < warps; ++w) sum += of_warp[w];
  return sum;
}

#if ROOFTUNE_HOST
/// `count` elements from the caller, and `beyond` zeros that loads may touch.
template <class T>
inline T* copy_padded(rooftune::DeviceBuffer<T>& buffer, const T* from, Int64 count, Int64 beyond) {
  T* const start = buffer.zeroed(count + beyond);
  if (count > 0) rooftune::cuda->upload(start, from, count * Int64{sizeof(T)});
  return start;
}
#endif

}  // namespace spmv_kernel
