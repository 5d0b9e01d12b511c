// The operating system's view of this host: permitted CPUs, caches, NUMA, memory, features.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/control_group.h"

namespace rooftune::os {

struct ReportedCache {
  std::string name;     ///< "L1", "L2", "L3"
  std::uint64_t bytes;  ///< of one instance
  int instances;        ///< within the CPUs we may use
  int ways = 0;         ///< associativity; 0: unknown
};

struct Topology {
  std::vector<int> cpus;  ///< usable by this process (affinity mask), one per core first
  int cores = 1;          ///< physical cores among them
  std::vector<ReportedCache> caches;
  std::vector<std::vector<int>> numa_nodes;  ///< CPUs per node of ordinary memory with usable CPUs
  std::vector<int>
      fast_nodes;  ///< numbers of the NUMA nodes of high-bandwidth memory (HBM, MCDRAM)
  std::uint64_t memory_bytes = 0;
  std::string cpu_model, hypervisor, kernel, hostname;
  bool transparent_huge_pages = false;  ///< madvise or always
  std::vector<std::string> limited_by;  ///< reasons for using less than the whole machine, in words
};
/// Reads hwloc restricted to the affinity mask, and the limits of the control groups; falls back to
/// sysfs.
Topology topology();
/// Takes away resources beyond the limits, with a note in limited_by.
void limit(Topology& topology, const GroupLimits& limits);
/// "L1 32 KiB x 2, L2 ...": as reported by the system.
std::string caches_text(const Topology& topology);

/// Vector width and instruction sets by CPUID feature bits and XCR0 (never by model name).
struct CpuFeatures {
  bool fma = false, avx2 = false, avx512 = false;  ///< avx512: F+DQ+BW+VL+CD usable
  bool avx512_fp16 = false, avx512_bf16 = false, amx_bf16 = false, amx_int8 = false;
  int simd_bits = 128;
  std::vector<std::string> names;
  /// Flags that enable exactly these in the host compiler: "-march=x86-64-v4".
  std::vector<std::string> compiler_flags;
};
CpuFeatures cpu_features();

}  // namespace rooftune::os
