// What the processor can do, in its own words.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

/// Vector width and instruction sets by CPUID feature bits and XCR0 (never by model name).
struct CpuFeatures {
  bool fma = false, avx2 = false, avx512 = false;  ///< avx512: F+DQ+BW+VL+CD usable
  int simd_bits = 128;
  Texts names;
  /// Flags that enable exactly these in the host compiler: "-march=x86-64-v4".
  Texts compiler_flags;
};
CpuFeatures cpu_features();

/// "KVM", "VMware", ... or the raw signature; empty on bare metal and for an unknown CPU.
std::string hypervisor();

}  // namespace rooftune::os
