// Threads of a kernel followed alone through its PTX, to count what they do without a card: loops
// go round as often as the arrays of the problem say. What other threads would have given them
// (shared memory, shuffles, sums) they do without.
#pragma once
#include <rooftune/cuda_device.h>

#include <functional>
#include <string>

#include "run/cuda/ptx_code.h"

namespace rooftune::run {

/// The host's copy of so many bytes at an address of the device; nullptr: there is none.
using DeviceBytes = std::function<unsigned char*(std::uint64_t address, std::size_t bytes)>;

class PtxWalk {
 public:
  /// Throws Error that names an unknown instruction.
  explicit PtxWalk(const std::string& code) : code_(ptx::decoded(code)) {}
  /// The average of a few threads in the middle of the grid. `l1_bytes`: of L1 for each thread.
  /// Throws Error for an unknown kernel, and for threads without an end.
  roofline::ThreadWork work(const CudaLaunch& launch, double l1_bytes, const DeviceBytes& memory);

 private:
  ptx::Code code_;
};

}  // namespace rooftune::run
