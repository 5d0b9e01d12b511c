// The in-core micro-kernels: one instruction mix, one vector width, a known number of dependent
// chains. Every kernel is one assembly block that no compiler can change; operands are finite.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "os/topology.h"

namespace rooftune::microbench {

/// Operands of a kernel, as raw 64-byte vectors (8 doubles or 16 floats each).
struct alignas(64) InCoreOperands {
  static constexpr int accumulators = 24;
  std::array<std::byte, 64>
      c{};  ///< fma: factor; add: even summand; mul: even factor; add_mul: summand
  std::array<std::byte, 64>
      d{};  ///< fma: summand; add: odd summand; mul: odd factor; add_mul: factor
  std::array<std::array<std::byte, 64>, accumulators>
      x{};  ///< chains: start values in, results out
};

/// Per iteration each of the `ilp` chains is advanced 48 / ilp times: by x = c x + d (fma), or by
/// turns with c and d (add, mul), or by turns x + c and x d (add_mul).
struct InCoreKernel {
  static constexpr int instructions = 48;  ///< floating-point instructions per iteration
  std::string precision;                   ///< "fp64", "fp32"
  std::string mix;                         ///< fma add mul add_mul
  int simd_bits = 64;                      ///< 64 is scalar
  int ilp = 1;                             ///< independent chains
  int lanes = 1;                           ///< elements per instruction
  int flops_per_lane = 1;                  ///< per instruction: 2 for fma
  void (*run)(std::int64_t iterations, InCoreOperands& operands) = nullptr;

  double flops_per_iteration() const { return double(instructions) * lanes * flops_per_lane; }
};

/// All kernels that a CPU with these features can execute; empty on an architecture without
/// kernels.
std::vector<InCoreKernel> in_core_kernels(const CpuFeatures& features);

/// Operands for timing: finite, neither 0 nor 1 nor denormal, and bounded for any number of
/// iterations (fma: x -> 1 - x; add: +c, -c; mul: *5/4, *4/5; add_mul: (x + c) / 2).
InCoreOperands timing_operands(const InCoreKernel& kernel);

}  // namespace rooftune::microbench
