// The emulation of CUDA: barriers, shuffles, atomics, guards, launches that no card would take.
#include "run/emulated_cuda.h"

#include <rooftune/cuda.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "run/loaded_variant.h"

namespace {

using rooftune::CudaSize;
using rooftune::EmulatedCuda;

/// Every thread writes where it is.
ROOFTUNE_KERNEL places(long* out) {
  const long block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const long thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1 + block * 1000 + thread;
}

/// Sums a block through shared memory, by halves.
ROOFTUNE_KERNEL block_sum(const double* in, double* out) {
  ROOFTUNE_DYNAMIC_SHARED(double, sums);
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, sums[0]);
}

/// Sums a warp by shuffles; half warps apart when `width` is 16.
ROOFTUNE_KERNEL warp_sum(const double* in, double* out, int width) {
  double sum = in[threadIdx.x];
  const unsigned mask = width == 32 ? 0xffffffffu : 0xffffu << (threadIdx.x % 32 / 16 * 16);
  for (int delta = width / 2; delta > 0; delta /= 2)
    sum += __shfl_down_sync(mask, sum, static_cast<unsigned>(delta), width);
  if (static_cast<int>(threadIdx.x) % width == 0)
    out[threadIdx.x / static_cast<unsigned>(width)] = sum;
}

/// The last block of the grid to arrive writes the number of blocks.
ROOFTUNE_KERNEL last_block(unsigned* count, unsigned* out) {
  __shared__ bool last[1];
  if (threadIdx.x == 0) last[0] = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last[0] && threadIdx.x == 0) *out = gridDim.x;
}

/// A barrier that half of the threads never reach, because they wait for each other elsewhere.
ROOFTUNE_KERNEL stuck(int* out) {
  if (threadIdx.x < 16) {
    __syncwarp(0xffffffffu);
  } else {
    __syncthreads();
  }
  *out = 1;
}

/// Threads that end early are not waited for.
ROOFTUNE_KERNEL early_end(int* out) {
  if (threadIdx.x >= 8) return;
  __syncthreads();
  atomicAdd(out, 1);
}

ROOFTUNE_KERNEL beside(double* out) { out[threadIdx.x] = 1; }

rooftune::CudaProperties card() {
  rooftune::CudaProperties properties;
  properties.shared_per_block = 48 << 10;
  return properties;
}

/// A device attached to the kernels above.
struct Attached {
  Attached() { rt_attach(&device); }
  ~Attached() { rt_attach(nullptr); }
  EmulatedCuda device{card()};
};

}  // namespace

TEST_CASE("every thread of a grid runs once and knows its place") {
  Attached here;
  std::vector<long> out(3 * 2 * 2 * 5 * 4 * 2, 0);
  ROOFTUNE_LAUNCH(places, CudaSize(3, 2, 2), CudaSize(5, 4, 2), 0, out.data());
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(out[i] == static_cast<long>(1 + i / 40 * 1000 + i % 40));
}

TEST_CASE("barriers hold: a block's sum through shared memory is right") {
  Attached here;
  std::vector<double> in(4 * 256);
  std::iota(in.begin(), in.end(), 1);
  double out = 0;
  ROOFTUNE_LAUNCH(block_sum, 4, 256, 256 * 8, in.data(), &out);
  CHECK(out == 1024.0 * 1025 / 2);
}

TEST_CASE("shuffles exchange values within a warp and within its parts") {
  Attached here;
  std::vector<double> in(64), out(4, 0);
  std::iota(in.begin(), in.end(), 0);
  ROOFTUNE_LAUNCH(warp_sum, 1, 64, 0, in.data(), out.data(), 32);
  CHECK(out[0] == 496);
  CHECK(out[1] == 496 + 32 * 32);
  ROOFTUNE_LAUNCH(warp_sum, 1, 64, 0, in.data(), out.data(), 16);
  CHECK(out == std::vector<double>{120, 120 + 256, 120 + 512, 120 + 768});
}

TEST_CASE("the last block finds itself by a counter") {
  Attached here;
  unsigned count = 0, out = 0;
  ROOFTUNE_LAUNCH(last_block, 7, 32, 0, &count, &out);
  CHECK(out == 7);
  CHECK(count == 0);
}

TEST_CASE("threads that have ended are not waited for") {
  Attached here;
  int out = 0;
  ROOFTUNE_LAUNCH(early_end, 1, 64, 0, &out);
  CHECK(out == 8);
}

TEST_CASE("a barrier that not all threads reach ends the variant, not the process") {
  Attached here;
  int out = 0;
  try {
    ROOFTUNE_LAUNCH(stuck, 1, 32, 0, &out);
    FAIL("no fault");
  } catch (const rooftune::VariantFault& fault) {
    CHECK(fault.outcome == "crashed");
    CHECK_THAT(fault.detail, Catch::Contains("never reach"));
  }
}

TEST_CASE("device memory starts as NaN and tells when somebody wrote beside it") {
  Attached here;
  auto* const array = static_cast<double*>(here.device.allocate(31 * 8));
  CHECK(array[0] != array[0]);
  ROOFTUNE_LAUNCH(beside, 1, 31, 0, array);
  CHECK(here.device.damage() == "");
  ROOFTUNE_LAUNCH(beside, 1, 32, 0, array);
  CHECK_THAT(here.device.damage(), Catch::Contains("behind its end"));
}

TEST_CASE("launches that no card takes are refused with the reason") {
  Attached here;
  double out = 0;
  const auto fault = [&](CudaSize grid, CudaSize block, std::int64_t bytes) -> std::string {
    try {
      ROOFTUNE_LAUNCH(beside, grid, block, bytes, &out);
    } catch (const rooftune::VariantFault& refused) {
      return refused.detail;
    }
    return {};
  };
  CHECK_THAT(fault(1, 1025, 0), Catch::Contains("1025 x 1 x 1 threads"));
  CHECK_THAT(fault(0, 32, 0), Catch::Contains("0 x 1 x 1 blocks"));
  CHECK_THAT(fault(CudaSize(1, 70000), 32, 0), Catch::Contains("70000"));
  CHECK_THAT(fault(1, 32, 50000), Catch::Contains("50000 bytes of shared memory"));
}
