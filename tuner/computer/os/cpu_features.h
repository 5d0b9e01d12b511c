// What the processor can do, in its own words.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

/// Vector width and instruction sets by feature bits (never by model name).
struct CpuFeatures {
  bool fma = false, avx2 = false, avx512 = false;  ///< avx512: F+DQ+BW+VL+CD usable
  int simd_bits = 128;
  Texts names;
  /// Flags that enable exactly these in the host compiler: "-march=x86-64-v4".
  Texts compiler_flags;
};
CpuFeatures cpu_features();
/// An Arm processor's features, from AT_HWCAP, AT_HWCAP2 (Linux' bits) and the bytes in an SVE
/// vector (0: no SVE). The length is part of the name, "sve512": code for one length runs on no
/// other.
CpuFeatures arm_features(uint64_t capabilities, uint64_t more, int sve_bytes);

/// "KVM", "VMware", ... or the raw signature; empty on bare metal and for an unknown CPU.
std::string hypervisor();

}  // namespace rooftune::os
