// The emulation of CUDA: barriers, shuffles, atomics, guards, launches that no card would take.
#include "run/emulated_cuda.h"

#include <rooftune/gpu.h>

#include <algorithm>
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
  const std::uint64_t mask = width == 64   ? ~std::uint64_t{0}
                             : width == 32 ? 0xffffffffu
                                           : 0xffffu << (threadIdx.x % 32 / 16 * 16);
  for (int delta = width / 2; delta > 0; delta /= 2)
    sum += __shfl_down_sync(mask, sum, static_cast<unsigned>(delta), width);
  if (static_cast<int>(threadIdx.x) % width == 0)
    out[threadIdx.x / static_cast<unsigned>(width)] = sum;
}

/// Reverses every 64 threads, the odd lanes of them apart from the even ones.
ROOFTUNE_KERNEL reversed(const double* in, double* out) {
  const int lane = static_cast<int>(threadIdx.x) % 64;
  const std::uint64_t even = 0x5555555555555555u, mask = lane % 2 == 0 ? even : ~even;
  out[threadIdx.x] = __shfl_sync(mask, in[threadIdx.x], 62 + lane % 2 * 2 - lane, 64);
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

/// Every thread reads what thread 0 of its block has written, without a barrier: in ascending order
/// nobody is too early.
ROOFTUNE_KERNEL unguarded(int* told, int* out) {
  if (threadIdx.x == 0) told[blockIdx.x] = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = told[blockIdx.x];
}

/// Writes the number of threads that came before.
ROOFTUNE_KERNEL arrivals(int* count, int* out) {
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(count, 1);
}

ROOFTUNE_KERNEL beside(double* out) { out[threadIdx.x] = 1; }

rooftune::CudaProperties card(int warp) {
  rooftune::CudaProperties properties;
  properties.warp = warp;
  properties.shared_per_block = 48 << 10;
  return properties;
}

/// A device attached to the kernels above.
struct Attached {
  explicit Attached(int warp = 32) : device(card(warp)) { rt_attach(&device); }
  ~Attached() { rt_attach(nullptr); }
  EmulatedCuda device;
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

TEST_CASE("a warp of 64 lanes meets as one") {
  std::vector<double> in(128), out(2, 0);
  std::iota(in.begin(), in.end(), 0);
  Attached here(64);
  for (const bool random : {false, true}) {
    here.device.run_in_random_order(random);
    ROOFTUNE_LAUNCH(warp_sum, 1, 128, 0, in.data(), out.data(), 64);
    CHECK(out == std::vector<double>{2016, 2016 + 64 * 64});
    std::vector<double> turned(128, 0);
    ROOFTUNE_LAUNCH(reversed, 1, 128, 0, in.data(), turned.data());
    for (std::size_t i = 0; i < 128; ++i)
      CHECK(turned[i] == static_cast<double>(i / 64 * 64 + 62 + i % 2 * 2 - i % 64));
  }
  CHECK_THROWS_AS(EmulatedCuda(card(65)), std::invalid_argument);
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

TEST_CASE("a missing barrier shows in random order, and a barrier holds in every order") {
  Attached here;
  std::vector<int> told(4, 0), out(4 * 64, 0);
  ROOFTUNE_LAUNCH(unguarded, 4, 64, 0, told.data(), out.data());
  CHECK(std::accumulate(out.begin(), out.end(), 0) == 4 * 64);
  here.device.run_in_random_order(true);
  CHECK_THAT(here.device.circumstances(), Catch::Contains("random order of seed 1"));
  std::fill(told.begin(), told.end(), 0);
  ROOFTUNE_LAUNCH(unguarded, 4, 64, 0, told.data(), out.data());
  CHECK(std::accumulate(out.begin(), out.end(), 0) < 4 * 64);
  std::vector<double> in(4 * 256, 1.0);
  double sum = 0;
  ROOFTUNE_LAUNCH(block_sum, 4, 256, 256 * 8, in.data(), &sum);
  CHECK(sum == 1024);
  std::iota(in.begin(), in.begin() + 64, 0);
  std::vector<double> sums(2, 0);
  ROOFTUNE_LAUNCH(warp_sum, 1, 64, 0, in.data(), sums.data(), 32);
  CHECK(sums == std::vector<double>{496, 496 + 32 * 32});
}

TEST_CASE("a random order is the one of its seed, over threads and blocks") {
  Attached here;
  const auto order = [&] {
    int count = 0;
    std::vector<int> out(4 * 8, 0);
    ROOFTUNE_LAUNCH(arrivals, 4, 8, 0, &count, out.data());
    return out;
  };
  std::vector<int> ascending(4 * 8);
  std::iota(ascending.begin(), ascending.end(), 0);
  CHECK(order() == ascending);
  here.device.run_in_random_order(true);
  const std::vector<int> first = order(), second = order();
  CHECK(first != ascending);
  CHECK(first != second);
  here.device.run_in_random_order(true);
  CHECK(order() == first);
}

TEST_CASE("a persistent grid has two blocks, whatever the card") {
  Attached here;
  CHECK(here.device.properties().multiprocessors == 1);
  CHECK(here.device.resident_blocks("beside", 128, 0) == 2);
  CHECK(here.device.resident_blocks("beside", 1024, 0) == 2);
}

TEST_CASE("a barrier that not all threads reach ends the variant, not the process") {
  Attached here;
  int out = 0;
  try {
    ROOFTUNE_LAUNCH(stuck, 1, 32, 0, &out);
    FAIL("no fault");
  } catch (const rooftune::VariantFault& fault) {
    CHECK(fault.outcome == Outcome::crashed);
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
