// Threads of a kernel followed alone through its PTX, to count what they do without a card: loops
// go round as often as the arrays of the problem say. What other threads would have given them
// (shared memory, shuffles, sums) they do without.
#pragma once
#include <rooftune/cuda_device.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "run/cuda/ptx_code.h"

namespace rooftune::run {

namespace ptx {

/// Threads of a warp, bytes of a sector and of a line.
inline constexpr double lanes = 32, sector = 32, line = 128;

/// What of a thread's accesses stays in its share of L1, the last used first.
class Share {
 public:
  explicit Share(double bytes) : room_(bytes / sector) {}
  /// Sectors, for one lane, that it did not find; `weight`: of a sector that is the lane's own.
  double missed(uint64_t address, size_t bytes, double weight) {
    double missing = 0;
    const auto last = (address + bytes - 1) / uint64_t(sector);
    for (auto one = address / uint64_t(sector); one <= last; ++one) {
      const auto found =
          std::ranges::find_if(held_, [&](const auto& held) { return held.first == one; });
      if (found != held_.end()) {
        std::rotate(held_.begin(), found, found + 1);
        continue;
      }
      missing += weight;
      held_.insert(held_.begin(), {one, weight});
      used_ += weight;
      while (held_.size() > most || (used_ > room_ && held_.size() > 1)) {
        used_ -= held_.back().second;
        held_.pop_back();
      }
    }
    return missing;
  }

 private:
  static constexpr size_t most = 48;
  double room_, used_ = 0;
  std::vector<std::pair<uint64_t, double>> held_;
};

}  // namespace ptx

/// The host's copy of so many bytes at an address of the device; nullptr: there is none.
using DeviceBytes = std::function<unsigned char*(uint64_t address, size_t bytes)>;

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
