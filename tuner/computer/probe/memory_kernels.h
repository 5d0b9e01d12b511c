// The micro-kernels of memory on the host: up to three arrays walked by full vectors with unit
// stride, strided loads, and chains of dependent loads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/modules.h"
#include "os/cpu_features.h"

namespace rooftune::probe {

/// Memory walked by a stream kernel: up to three arrays of `bytes` each, `passes` times.
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
  uint64_t chunk = 256;  ///< bytes of one array per iteration: 16 vectors
  int arrays = 1;
  double reads = 1;  ///< share of reads in the nominal bytes
  int bytes_per_byte =
      1;  ///< nominal bytes moved per byte of one array (2 copy and update, 3 triad)
  void (*run)(StreamArguments& arguments) = nullptr;
};

/// Arrays that a mix walks.
constexpr int arrays_of(StreamMix mix) {
  if (mix == StreamMix::copy) return 2;
  return mix == StreamMix::triad || mix == StreamMix::load2_store1 ? 3 : 1;
}
// The assembly names members by offset, and mixes by number.
static_assert(offsetof(StreamArguments, bytes) == 24 && offsetof(StreamArguments, scalar) == 64 &&
              offsetof(StreamArguments, sink) == 128);

/// The stream kernels for the widest vectors of a CPU with these features; empty without
/// micro-kernels.
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features);

/// The mix of a ceiling measured with chains of dependent loads.
inline constexpr const char* random_walk = "random";
/// Bytes of a line: each access of these kernels moves one, and their rates count it whole.
inline constexpr uint64_t line_bytes = 64;
/// Loads per group of a strided kernel.
inline constexpr int strided_group = 8;
/// Steps of a chase come in multiples of this.
inline constexpr int chase_unroll = 4;
/// Most misses in flight of a chase kernel.
inline constexpr int most_misses = 16;

/// Eight-byte loads `stride` bytes apart: 8 * groups of them from `base` on, then as many one line
/// further, `phases` times (stride / 64 phases touch every line of stride * 8 * groups bytes), and
/// all of it `passes` times. Returns the sum of the last eight values as integers, modulo 2^64.
using StridedKernel = uint64_t (*)(const void* base, int64_t groups, int64_t phases,
                                   int64_t passes);
/// nullptr for a stride without a kernel.
StridedKernel strided_kernel(int stride);
/// 64, 128, 256, 4096; empty on an architecture without micro-kernels.
std::vector<int> strides();

/// Advances `misses` independent pointer chains by `steps` dependent loads each (a positive
/// multiple of chase_unroll); heads[i] is the position of chain i, in and out.
using ChaseKernel = void (*)(int64_t steps, void** heads);
/// nullptr for a number without a kernel.
ChaseKernel chase_kernel(int misses);
/// 1, 2, 4, 8, 16; empty on an architecture without micro-kernels.
std::vector<int> misses_in_flight();

}  // namespace rooftune::probe
