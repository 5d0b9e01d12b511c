// Capacities of a card: the figures behind which kernels fit and how many run at a time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::roofline {

/// Member "gpu" of a machine file. Sizes in bytes; registers of 32 bits.
struct GpuFacts {
  std::vector<std::string> devices;  ///< names of cards it describes; * stands for any text
  int compute_capability = 0;        ///< 10 major + minor: 80 for 8.0
  int multiprocessors = 0;
  int warp = 32;  ///< threads: 32, or 64 (a wave of CDNA)
  int threads_per_multiprocessor = 0, blocks_per_multiprocessor = 0, threads_per_block = 1024;
  int registers_per_multiprocessor = 0, registers_per_block = 0;
  std::int64_t shared_per_multiprocessor = 0;
  std::int64_t shared_per_block = 0;  ///< the most for a block on request
  std::int64_t shared_reserved = 0;   ///< taken by the system from each block's share
  std::int64_t l2 = 0, memory = 0;

  /// True when the driver's name of a card fits one of `devices`; case matters.
  bool describes(const std::string& device) const;
};

/// "8.0" for 80.
std::string compute_capability_text(int capability);

}  // namespace rooftune::roofline
