// The bandwidth micro-kernels without unit stride: strided loads, and chains of dependent loads.
#pragma once
#include <cstdint>
#include <vector>

#include "core/modules.h"

namespace rooftune::probe {

/// The mix of a ceiling measured with chains of dependent loads.
inline constexpr const char* random_walk = "random";
/// Bytes of a line: each access of these kernels moves one, and their rates count it whole.
inline constexpr std::uint64_t line_bytes = 64;
/// Loads per group of a strided kernel.
inline constexpr int strided_group = 8;
/// Steps of a chase come in multiples of this.
inline constexpr int chase_unroll = 4;
/// Most misses in flight of a chase kernel.
inline constexpr int most_misses = 16;

/// Eight-byte loads `stride` bytes apart: 8 * groups of them from `base` on, then as many one line
/// further, `phases` times (stride / 64 phases touch every line of stride * 8 * groups bytes), and
/// all of it `passes` times. Returns the sum of the last eight values as integers, modulo 2^64.
using StridedKernel = std::uint64_t (*)(const void* base, std::int64_t groups, std::int64_t phases,
                                        std::int64_t passes);
/// nullptr for a stride without a kernel.
StridedKernel strided_kernel(int stride);
/// 64, 128, 256, 4096; empty on an architecture without micro-kernels.
std::vector<int> strides();

/// Advances `misses` independent pointer chains by `steps` dependent loads each (a positive
/// multiple of chase_unroll); heads[i] is the position of chain i, in and out.
using ChaseKernel = void (*)(std::int64_t steps, void** heads);
/// nullptr for a number without a kernel.
ChaseKernel chase_kernel(int misses);
/// 1, 2, 4, 8, 16; empty on an architecture without micro-kernels.
std::vector<int> misses_in_flight();

}  // namespace rooftune::probe
