// The host's memory micro-kernels: full vectors that walk up to three arrays with unit stride,
// strided loads, and chains of dependent loads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/modules.h"
#include "os/cpu_features.h"

namespace rooftune::probe {

/// What a stream kernel walks: up to three arrays of `bytes` each, `passes` times.
struct alignas(64) StreamArguments {
  double* a = nullptr;  ///< written (read by load, read and written by update); 64-byte aligned
  const double* b = nullptr;  ///< read by copy, triad, load2_store1
  const double* c = nullptr;  ///< read by triad, load2_store1
  uint64_t bytes = 0;         ///< each array's; a positive multiple of StreamKernel::chunk
  int64_t passes = 1;
  alignas(
      64) double scalar[8] = {};  ///< store: the value; triad, update: the factor; all lanes alike
  double* sink = nullptr;  ///< load: 16 vectors, 64-byte aligned, receives the last chunk loaded
};

ROOFTUNE_ENUM(StreamMix, load, store, copy, triad, update, load2_store1)

/// load: reads a; store: a = s; copy: a = b; triad: a = b + s c; update: a = s a; load2_store1:
/// reads b and c, a = c without arithmetic, limited only by the ports to the cache.
struct StreamKernel {
  StreamMix mix = StreamMix::load;
  bool non_temporal = false;
  int simd_bits = 128;
  uint64_t chunk = 256;  ///< bytes per array and iteration: 16 vectors
  int arrays = 1;
  double reads = 1;  ///< what share of the nominal bytes is read
  int bytes_per_byte =
      1;  ///< nominal bytes moved per byte in an array (2 copy and update, 3 triad)
  void (*run)(StreamArguments& arguments) = nullptr;
};

/// How many arrays a mix walks.
constexpr int arrays_of(StreamMix mix) {
  if (mix == StreamMix::copy) return 2;
  return mix == StreamMix::triad || mix == StreamMix::load2_store1 ? 3 : 1;
}
// The assembly names members by offset, and mixes by number.
static_assert(offsetof(StreamArguments, bytes) == 24 && offsetof(StreamArguments, scalar) == 64 &&
              offsetof(StreamArguments, sink) == 128);

/// The stream kernels for the widest vectors that a CPU with these features has; empty without
/// micro-kernels.
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features);

/// A ceiling's mix, where chains of dependent loads measure it.
inline constexpr const char* random_walk = "random";
/// Bytes in a line: each access by these kernels moves a line, and their rates count it whole.
inline constexpr uint64_t line_bytes = 64;
/// Loads per group in a strided kernel.
inline constexpr int strided_group = 8;
/// Steps of a chase come in multiples of this.
inline constexpr int chase_unroll = 4;
/// The most misses that a chase kernel has in flight.
inline constexpr int most_misses = 16;

/// Eight-byte loads `stride` bytes apart: 8 * groups loads from `base` on, then as many one line
/// further, `phases` times (stride / 64 phases touch every line in stride * 8 * groups bytes), and
/// all this `passes` times. Returns the last eight values' sum as integers, modulo 2^64.
using StridedKernel = uint64_t (*)(const void* base, int64_t groups, int64_t phases,
                                   int64_t passes);
/// nullptr for a stride without a kernel.
StridedKernel strided_kernel(int stride);
/// 64, 128, 256, 4096; empty on an architecture without micro-kernels.
Integers strides();

/// Advances `misses` independent pointer chains by `steps` dependent loads each (a positive
/// multiple of chase_unroll); heads[i] is chain i's position, in and out.
using ChaseKernel = void (*)(int64_t steps, void** heads);
/// nullptr for a number without a kernel.
ChaseKernel chase_kernel(int misses);
/// 1, 2, 4, 8, 16; empty on an architecture without micro-kernels.
Integers misses_in_flight();

}  // namespace rooftune::probe
