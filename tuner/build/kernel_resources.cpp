// The assembler's report in figures; residency as NVIDIA's occupancy calculator has it.
#include "build/kernel_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

namespace rooftune::inline build {
namespace {

constexpr int warp_size = 32;
/// Registers are given to a warp in multiples of this (compute capability 3.0 and later).
constexpr int register_unit = 256;
/// Warps are spread over four schedulers, each with a quarter of the registers.
constexpr int scheduler_count = 4;
/// Spilled bytes per thread beyond which a kernel spends its time on local memory. The published
/// GPP steps spill up to 356 bytes (188 stored, 168 loaded) and gain by it.
constexpr std::int64_t hopeless_spill = 1024;

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// The number before `words`, or 0.
std::int64_t number_before(const std::string& line, const std::string& words) {
  const std::regex pattern("(\\d+) " + words);
  std::smatch match;
  return std::regex_search(line, match, pattern) ? std::stoll(match[1]) : 0;
}

}  // namespace

std::vector<KernelResources> kernel_resources(const std::string& log) {
  std::vector<KernelResources> result;
  std::istringstream lines(log);
  const std::string properties = "Function properties for ";
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(properties); at != std::string::npos) {
      KernelResources kernel;
      kernel.kernel = line.substr(at + properties.size());
      kernel.kernel.erase(kernel.kernel.find_last_not_of(" \t\r") + 1);
      result.push_back(kernel);
    } else if (!result.empty() && line.find("bytes stack frame") != std::string::npos) {
      result.back().stack_bytes = number_before(line, "bytes stack frame");
      result.back().spill_stores = number_before(line, "bytes spill stores");
      result.back().spill_loads = number_before(line, "bytes spill loads");
    } else if (const std::size_t used = line.find("Used "); used != std::string::npos) {
      if (result.empty()) result.emplace_back();
      result.back().registers = static_cast<int>(number_before(line, "registers"));
      result.back().barriers = static_cast<int>(number_before(line, "barriers"));
      result.back().shared_bytes = number_before(line, "bytes smem");
    }
  }
  // Functions that were not inlined have properties too, but use no registers of their own.
  std::erase_if(result, [](const KernelResources& kernel) { return kernel.registers == 0; });
  return result;
}

std::string why_hopeless(const std::vector<KernelResources>& kernels) {
  for (const KernelResources& kernel : kernels)
    if (kernel.spill_stores + kernel.spill_loads > hopeless_spill)
      return fmt::format("{} spills {} bytes per thread ({} registers)", kernel.kernel,
                         kernel.spill_stores + kernel.spill_loads, kernel.registers);
  return {};
}

Occupancy occupancy(const MultiprocessorLimits& limits, int threads, int registers,
                    std::int64_t shared_bytes) {
  Occupancy result;
  if (threads < 1) return result;
  const int warps = (threads + warp_size - 1) / warp_size;
  const auto hold = [&](std::int64_t blocks, const char* what) {
    if (!result.limited_by.empty() && blocks >= result.blocks) return;
    result.blocks = static_cast<int>(std::max<std::int64_t>(blocks, 0));
    result.limited_by = what;
  };
  hold(limits.threads / warp_size / warps, "threads");
  hold(limits.blocks, "blocks");
  if (registers > 0) {
    const std::int64_t per_warp = rounded_up(std::int64_t{registers} * warp_size, register_unit);
    const std::int64_t per_scheduler = limits.registers / scheduler_count / per_warp;
    hold(per_scheduler * scheduler_count / warps, "registers");
  }
  // Shared memory comes in units of 128 bytes since compute capability 8.0, 256 before.
  const std::int64_t unit = limits.compute_capability >= 80 ? 128 : 256;
  const std::int64_t per_block = rounded_up(shared_bytes + limits.shared_reserved, unit);
  if (per_block > 0) hold(limits.shared_bytes / per_block, "shared memory");
  result.share = static_cast<double>(result.blocks * warps * warp_size) / limits.threads;
  return result;
}

}  // namespace rooftune::inline build
