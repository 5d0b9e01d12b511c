// The micro-kernels for the host's cores. A kernel has one instruction mix, one vector width and a
// known number of dependent chains. It is one assembly block, which the compiler cannot change; its
// operands are finite.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/modules.h"
#include "os/cpu_features.h"

namespace rooftune::probe {

/// The kernels' precisions, as in a ceiling's fields.
inline constexpr const char* double_precision = "fp64";
inline constexpr const char* single_precision = "fp32";

/// A kernel's operands, as raw 64-byte vectors (8 doubles or 16 floats each).
struct alignas(64) InCoreOperands {
  static constexpr int accumulators = 24;
  std::array<std::byte, 64> c{}, d{};  ///< the chains' other operands, see InCoreKernel
  std::array<std::array<std::byte, 64>, accumulators>
      x{};  ///< chains: start values in, results out
};

/// Per iteration each of the `ilp` chains is advanced instructions / ilp times: by x = c x + d
/// (fma; x + c d where it accumulates); by turns with c and d (add, mul, div); by turns x + c and x
/// d (add_mul); by turns c x + d and x + c (fma_add; fma2_add: two to one) or x c (fma_mul); by the
/// square root of x (sqrt). Neighbouring chains are out of step: both kinds are in flight at any
/// moment.
struct InCoreKernel {
  std::string precision;
  std::string mix;
  int simd_bits = 64;        ///< 64 is scalar
  int ilp = 1;               ///< independent chains
  int lanes = 1;             ///< elements per instruction
  int instructions = 48;     ///< floating-point instructions per iteration
  int fused = 0;             ///< the multiply-adds among them, two flops each
  bool accumulates = false;  ///< multiply-adds are x + c d, as NEON's
  void (*run)(int64_t iterations, InCoreOperands& operands) = nullptr;

  double flops_per_iteration() const { return double(instructions + fused) * lanes; }
};
using InCoreKernels = std::vector<InCoreKernel>;

/// A mix's flops per lane and instruction.
double flops_per_instruction(const std::string& mix);

/// All kernels for CPUs with these features; empty on an architecture without kernels.
InCoreKernels in_core_kernels(const CpuFeatures& features);

/// Kernels for whole numbers, add mul shift compare: scalar ("int64"), and with the widest vectors
/// "int64", "int32" and "int8" (products and shifts by words); and for Ceiling::issue. Neither
/// operands nor results matter.
InCoreKernels integer_kernels(const CpuFeatures& features);

/// Operands for timing: finite, neither 0 nor denormal, and bounded over any number of iterations.
InCoreOperands timing_operands(const InCoreKernel& kernel);

}  // namespace rooftune::probe
