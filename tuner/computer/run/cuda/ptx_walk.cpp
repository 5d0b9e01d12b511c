#include "run/cuda/ptx_walk.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/list.h"
#include "run/cuda/ptx_thread.h"

namespace rooftune::run {
namespace ptx {
namespace {

constexpr Field of_traffic[] = {&ThreadWork::l1_cycles, &ThreadWork::l2_bytes,
                                &ThreadWork::l2_atomics, &ThreadWork::dram_bytes};

void add(ThreadWork& sum, const ThreadWork& one, double share) {
  for (const Field field : of_code) sum.*field += share * one.*field;
  for (const Field field : of_traffic) sum.*field += share * one.*field;
}

void add(MovedByArray& sum, const MovedByArray& one, double share) {
  for (const auto& [array, moved] : one) {
    Moved& here = sum[array];
    here.array_bytes = moved.array_bytes;
    here.read += share * moved.read;
    here.written += share * moved.written;
  }
}

/// Some lanes in a warp: it takes as long as the longest of them.
struct WarpWalk {
  const Function& function;
  size_t shared_bytes;
  const CudaLaunch& launch;
  const DeviceBytes& memory;
  const CacheShares& shares;
  int64_t block = 0, first = 0;  ///< thread in the block

  /// Adds its steps to `steps`, and what a lane moves to `moved`.
  ThreadWork work(uint64_t& steps, MovedByArray& moved) const {
    std::vector<Neighbour> neighbours(function.code.size());
    ThreadWork result;
    MovedByArray all;
    int64_t before = -1;
    uint64_t own = 0;
    double counted = 0;
    // The first lane only tells the next where it has been.
    for (const int64_t lane : {1, 0, 5, 11, 16, 22, 27, 31}) {
      if (first + lane >= launch.block.volume() || (counted > 0 && own > few_steps)) continue;
      Walker walker(function, shared_bytes, launch, memory, neighbours, shares);
      walker.place(launch, block, first + lane, std::abs(lane - before));
      try {
        walker.run();
      } catch (const Error& error) {
        throw Error(std::string("a thread of ") + launch.kernel + ' ' + error.message());
      }
      own += walker.steps();
      if (before >= 0 || launch.block.volume() == 1) {
        const ThreadWork one = walker.work();
        for (const Field field : of_code) result.*field = std::max(result.*field, one.*field);
        for (const Field field : of_traffic) result.*field += one.*field;
        add(all, walker.moved(), 1);
        ++counted;
      }
      walker.mine.resize(neighbours.size());
      for (const size_t k : indices(neighbours)) neighbours[k] = {std::move(walker.mine[k])};
      before = lane;
    }
    for (const Field field : of_traffic) result.*field /= std::max(counted, 1.0);
    add(moved, all, 1 / std::max(counted, 1.0));
    steps += own;
    return result;
  }
};

}  // namespace
}  // namespace ptx

roofline::ThreadWork PtxWalk::work(const CudaLaunch& launch, const ptx::CacheShares& shares,
                                   const DeviceBytes& memory) {
  const auto found = code_.kernels.find(launch.kernel);
  if (found == code_.kernels.end())
    throw Error(std::string("there is no kernel ") + launch.kernel + " in the PTX");
  const DeviceBytes all = [&](uint64_t address, size_t bytes) -> DevicePlace {
    for (std::vector<unsigned char>& variable : code_.variables) {
      const auto start = reinterpret_cast<uint64_t>(variable.data());
      if (address >= start && address + bytes <= start + variable.size())
        return {&variable[address - start], start, double(variable.size())};
    }
    return memory(address, bytes);
  };
  const auto blocks = double(launch.grid.volume()),
             warps = std::ceil(double(launch.block.volume()) / ptx::lanes);
  roofline::ThreadWork sum;
  ptx::MovedByArray moved;
  uint64_t steps = 0;
  double walked = 0;
  // Spread over grid and block without the period of either.
  for (int k = 1; k <= ptx::most_warps && (k == 1 || steps < ptx::enough_steps); ++k, ++walked) {
    const auto part = [k](double irrational) {
      return k * irrational - std::floor(k * irrational);
    };
    ptx::WarpWalk warp{found->second, code_.shared_bytes, launch, all, shares};
    warp.block = int64_t(part(0.6180339887) * blocks);
    warp.first = int64_t(part(0.4142135624) * warps) * 32;
    ptx::add(sum, warp.work(steps, moved), 1);
  }
  roofline::ThreadWork mean;
  ptx::add(mean, sum, 1 / walked);
  for (auto& [array, one] : moved) {
    one.read /= walked;
    one.written /= walked;
  }
  mean.dram_bytes += ptx::from_memory(moved, blocks * double(launch.block.volume()));
  return mean;
}

}  // namespace rooftune::run
