// The micro-kernels of the host, and two clocks. In core: one instruction mix, one vector width, a
// known number of dependent chains; every one is one assembly block, out of reach of the compiler;
// operands are finite. Of memory: up to three arrays walked by full vectors with unit stride,
// strided loads, and chains of dependent loads. The clocks: wall time without slewing, and the
// core's own, counted by a chain of dependent additions. The time-stamp counter has a constant rate
// and is never called a core clock.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/modules.h"
#include "os/topology.h"

namespace rooftune::probe {

/// Memory walked by a stream kernel: up to three arrays of `bytes` each, `passes` times.
struct alignas(64) StreamArguments {
  double* a = nullptr;  ///< written (read by load, read and written by update); 64-byte aligned
  const double* b = nullptr;  ///< read by copy, triad, load2_store1
  const double* c = nullptr;  ///< read by triad, load2_store1
  std::uint64_t bytes = 0;    ///< of each array; a positive multiple of StreamKernel::chunk
  std::int64_t passes = 1;
  alignas(
      64) double scalar[8] = {};  ///< store: the value; triad, update: the factor; all lanes alike
  double* sink = nullptr;  ///< load: 16 vectors, 64-byte aligned, receives the last chunk loaded
};

enum class StreamMix { load, store, copy, triad, update, load2_store1 };
inline Words words(StreamMix) {
  static constexpr const char* all[] = {"load", "store", "copy", "triad", "update", "load2_store1"};
  return all;
}

/// load: reads a; store: a = s; copy: a = b; triad: a = b + s c; update: a = s a; load2_store1:
/// reads b and c, a = c without arithmetic, limited only by the ports to the cache.
struct StreamKernel {
  StreamMix mix = StreamMix::load;
  bool non_temporal = false;
  int simd_bits = 128;
  std::uint64_t chunk = 256;  ///< bytes of one array per iteration: 16 vectors
  int arrays = 1;
  double reads = 1;  ///< share of reads in the nominal bytes
  int bytes_per_byte =
      1;  ///< nominal bytes moved per byte of one array (2 copy and update, 3 triad)
  void (*run)(StreamArguments& arguments) = nullptr;
};

/// The stream kernels for the widest vectors of a CPU with these features; empty without
/// micro-kernels.
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features);

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

/// Precisions of the kernels, as in the fields of a ceiling.
inline constexpr const char* double_precision = "fp64";
inline constexpr const char* single_precision = "fp32";

/// Operands of a kernel, as raw 64-byte vectors (8 doubles or 16 floats each).
struct alignas(64) InCoreOperands {
  static constexpr int accumulators = 24;
  std::array<std::byte, 64> c{}, d{};  ///< other operands of the chains, see InCoreKernel
  std::array<std::array<std::byte, 64>, accumulators>
      x{};  ///< chains: start values in, results out
};

/// Per iteration each of the `ilp` chains is advanced instructions / ilp times: by x = c x + d
/// (fma); by turns with c and d (add, mul, div); by turns x + c and x d (add_mul); by turns c x + d
/// and x + c (fma_add; fma2_add: two to one) or x c (fma_mul); by the square root of x (sqrt).
/// Neighbouring chains are out of step: both kinds are in flight at any moment.
struct InCoreKernel {
  std::string precision;
  std::string mix;
  int simd_bits = 64;     ///< 64 is scalar
  int ilp = 1;            ///< independent chains
  int lanes = 1;          ///< elements per instruction
  int instructions = 48;  ///< floating-point instructions per iteration
  int fused = 0;          ///< of them multiply-adds, two flops each
  void (*run)(std::int64_t iterations, InCoreOperands& operands) = nullptr;

  double flops_per_iteration() const { return double(instructions + fused) * lanes; }
};

/// Of a mix, per lane.
double flops_per_instruction(const std::string& mix);

/// All kernels for CPUs with these features; empty on an architecture without kernels.
std::vector<InCoreKernel> in_core_kernels(const CpuFeatures& features);

/// Of whole numbers, add mul shift compare: scalar ("int64"), and by the widest vectors "int64",
/// "int32" and "int8" (products and shifts by words). And of Ceiling::issue. Their operands do
/// not matter; nor do results.
std::vector<InCoreKernel> integer_kernels(const CpuFeatures& features);

/// Operands for timing: finite, neither 0 nor denormal, and bounded for any number of iterations.
InCoreOperands timing_operands(const InCoreKernel& kernel);

/// Seconds of CLOCK_MONOTONIC_RAW.
double now();

/// Core clock in Hz seen over a chain of dependent 64-bit integer additions (one per cycle on
/// every core of the last decades). Vector multiplications of `simd_bits` run beside the chain (for
/// 64: none): the core's clock depends on the width in use, and a change stalls the core. A
/// preempted reading is too low, never too high. 0 on an architecture without such a chain. The CPU
/// must have vectors of that width.
double core_clock(int simd_bits);

/// Flushes denormal results and operands to zero in this thread, to keep operands off microcode
/// paths.
void flush_denormals();

}  // namespace rooftune::probe
