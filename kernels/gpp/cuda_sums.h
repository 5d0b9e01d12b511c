// How the totals of threads meet: in a warp, in a block, in the grid. The caller passes totals of
// all threads of the block.
#pragma once
#include "cuda_arrays.h"

namespace sigma_gpp {

constexpr int warps = threads / rooftune::warp_threads;

__device__ __forceinline__ int thread_number() {
  return static_cast<int>(threadIdx.y) * KNOB_BLOCK_X + static_cast<int>(threadIdx.x);
}

/// The first lane gets the sums of its warp.
__device__ __forceinline__ void sum_of_warp(double (&total)[numbers]) {
#pragma unroll
  for (int c = 0; c < numbers; ++c)
#pragma unroll
    for (int distance = rooftune::warp_threads / 2; distance > 0; distance /= 2)
      total[c] += rooftune::shuffle_down(total[c], distance);
}

/// Thread c < numbers gets number c of the block.
__device__ __forceinline__ double sum_of_block(double (&total)[numbers]) {
  __shared__ double of_warps[warps * numbers];
  const int thread = thread_number();
  sum_of_warp(total);
  __syncthreads();
  if (thread % rooftune::warp_threads == 0)
#pragma unroll
    for (int c = 0; c < numbers; ++c)
      of_warps[thread / rooftune::warp_threads * numbers + c] = total[c];
  __syncthreads();
  double sum = 0;
  if (thread < numbers)
    for (int warp = 0; warp < warps; ++warp) sum += of_warps[warp * numbers + thread];
  return sum;
}

/// Adds up what all blocks left of one block of energies.
__device__ __forceinline__ void gather(const double* partial, Int64 blocks, double* sigma) {
  double total[numbers] = {};
  for (Int64 block = thread_number(); block < blocks; block += threads)
#pragma unroll
    for (int c = 0; c < numbers; ++c) total[c] += rooftune::load_l2(partial + block * numbers + c);
  const double sum = sum_of_block(total);
  if (thread_number() < numbers) sigma[thread_number()] = sum;
}

/// From every block, its totals of one block of energies; sigma points to those energies.
__device__ __forceinline__ void deliver(double (&total)[numbers], double* partial, double* sigma,
                                        unsigned* ticket) {
  const int thread = thread_number();
#if KNOB_REDUCTION == KNOB_REDUCTION_WARPS
  (void)partial, (void)ticket;
  sum_of_warp(total);
  if (thread % rooftune::warp_threads == 0)
#pragma unroll
    for (int c = 0; c < numbers; ++c) atomicAdd(sigma + c, total[c]);
#elif KNOB_REDUCTION == KNOB_REDUCTION_ATOMIC
  (void)partial, (void)ticket;
  const double sum = sum_of_block(total);
  if (thread < numbers) atomicAdd(sigma + thread, sum);
#else
  const double sum = sum_of_block(total);
  if (thread < numbers) partial[Int64{blockIdx.x} * numbers + thread] = sum;
#if KNOB_REDUCTION == KNOB_REDUCTION_LAST
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  // The ticket is back at 0 after the last block.
  if (thread == 0) last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  gather(partial, gridDim.x, sigma);
#else
  (void)sigma, (void)ticket;
#endif
#endif
}

}  // namespace sigma_gpp
