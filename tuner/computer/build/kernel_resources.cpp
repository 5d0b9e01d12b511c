// Residency by the rules of NVIDIA's occupancy calculator.
#include "build/kernel_resources.h"

#include <fmt/format.h>

#include <algorithm>

namespace rooftune::build {
namespace {

/// Registers are given to a warp in multiples of this many for each thread (compute capability 3.0
/// and later).
constexpr int register_unit = 8;
/// Warps are spread over four schedulers, each with a quarter of the registers.
constexpr int scheduler_count = 4;
/// Spilled bytes per thread of a kernel that spends its time on local memory. The published GPP
/// steps spill up to 356 bytes (188 stored, 168 loaded) and gain by it.
constexpr std::int64_t most_useful_spill = 1024;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::string excessive_spill_reason(const std::vector<KernelResources>& kernels) {
  for (const KernelResources& kernel : kernels)
    if (kernel.spill_stores + kernel.spill_loads > most_useful_spill)
      return fmt::format("{} spills {} bytes per thread ({} registers)", kernel.kernel,
                         kernel.spill_stores + kernel.spill_loads, kernel.registers);
  return {};
}

Occupancy occupancy(const MultiprocessorLimits& limits, int threads, int registers,
                    std::int64_t shared_bytes) {
  Occupancy result;
  if (threads < 1) return result;
  const int warp = limits.warp, warps = (threads + warp - 1) / warp;
  const auto limit_blocks = [&](std::int64_t blocks, const char* what) {
    if (!result.limited_by.empty() && blocks >= result.blocks) return;
    result.blocks = static_cast<int>(std::max<std::int64_t>(blocks, 0));
    result.limited_by = what;
  };
  limit_blocks(limits.threads / warp / warps, "threads");
  limit_blocks(limits.blocks, "blocks");
  if (registers > 0) {
    const std::int64_t per_warp = warp * rounded_up(registers, register_unit);
    const std::int64_t per_scheduler = limits.registers / scheduler_count / per_warp;
    limit_blocks(per_scheduler * scheduler_count / warps, "registers");
  }
  // Shared memory comes in units of 128 bytes since compute capability 8.0, 256 before.
  const std::int64_t unit = limits.compute_capability >= 80 ? 128 : 256;
  const std::int64_t per_block = rounded_up(shared_bytes + limits.shared_reserved, unit);
  if (per_block > 0) limit_blocks(limits.shared_bytes / per_block, "shared memory");
  result.share = static_cast<double>(result.blocks * warps * warp) / limits.threads;
  return result;
}

}  // namespace rooftune::build
