// Follows single threads of a kernel through its PTX, to count what they do without a card: loops
// go round as often as the arrays of the problem say. The threads do without what others would have
// given them (shared memory, shuffles, sums).
#pragma once
#include <rooftune/cuda_device.h>

#include <string>

#include "run/cuda/ptx_traffic.h"

namespace rooftune::run {

class PtxWalk {
 public:
  /// Throws Error that names what is no PTX.
  explicit PtxWalk(const std::string& code) : code_(ptx::decoded(code)) {}
  /// Each unknown instruction counts as one without a result.
  const TextSet& unknown() const { return code_.unknown; }
  /// The average over a few warps spread over the grid. Throws Error for an unknown kernel, and for
  /// threads without an end.
  roofline::ThreadWork work(const CudaLaunch& launch, const ptx::CacheShares& shares,
                            const DeviceBytes& memory);

 private:
  ptx::Code code_;
};

}  // namespace rooftune::run
