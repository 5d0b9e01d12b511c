// Threads of a kernel followed alone through its PTX, to count what they do without a card: loops
// go round as often as the arrays of the problem say. What other threads would have given them
// (shared memory, shuffles, sums) they do without.
#pragma once
#include <rooftune/cuda_device.h>

#include <string>

#include "run/cuda/ptx_traffic.h"

namespace rooftune::run {

class PtxWalk {
 public:
  /// Throws Error that names what is no PTX.
  explicit PtxWalk(const std::string& code) : code_(ptx::decoded(code)) {}
  /// Each of these is counted as one instruction without a result.
  const TextSet& unknown() const { return code_.unknown; }
  /// The average of a few threads in the middle of the grid. `l1_bytes`: L1's share of each thread.
  /// Throws Error for an unknown kernel, and for threads without an end.
  roofline::ThreadWork work(const CudaLaunch& launch, double l1_bytes, const DeviceBytes& memory);

 private:
  ptx::Code code_;
};

}  // namespace rooftune::run
