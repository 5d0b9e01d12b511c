// A compiled kernel's needs of a multiprocessor, and the number of its blocks there.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::build {

/// One kernel of an image, as its compiler reports it.
struct KernelResources {
  std::string kernel;
  int registers = 0;  ///< per thread
  int barriers = 0;
  std::int64_t shared_bytes = 0;                   ///< static, per block
  std::int64_t stack_bytes = 0;                    ///< per thread
  std::int64_t spill_stores = 0, spill_loads = 0;  ///< bytes per thread, static count
};

/// Why a kernel is not worth a launch in any shape: "k spills 2880 bytes per thread (32
/// registers)"; empty without a reason.
std::string excessive_spill_reason(const std::vector<KernelResources>& kernels);

/// Limits of the blocks on a multiprocessor. Figures: CUDA C programming guide, table of technical
/// specifications per compute capability.
struct MultiprocessorLimits {
  int compute_capability = 80;  ///< 10 major + minor
  int threads = 2048, blocks = 32;
  std::int64_t registers = 65536;
  std::int64_t shared_bytes = 0;     ///< per multiprocessor
  std::int64_t shared_reserved = 0;  ///< per block, taken by the system
  int warp = 32;                     ///< threads
};

struct Occupancy {
  int blocks = 0;          ///< resident per multiprocessor; 0: it cannot be launched
  double share = 0;        ///< of a multiprocessor's most warps, in [0, 1]
  std::string limited_by;  ///< "registers", "shared memory", "threads", "blocks"
};

/// `threads` per block; `shared_bytes`: static and dynamic.
Occupancy occupancy(const MultiprocessorLimits& limits, int threads, int registers,
                    std::int64_t shared_bytes);

}  // namespace rooftune::build
