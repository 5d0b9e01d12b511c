// What the accesses of a thread cost: cycles of L1, bytes of L2, and bytes of each array.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "run/cuda/ptx_code.h"
#include "run/device_bytes.h"

namespace rooftune::run {

namespace ptx {

/// Threads of a warp, bytes of a sector and of a line.
inline constexpr double lanes = 32, sector = 32, line = 128;
/// Cycles until data are there.
inline constexpr double latency_l1 = 33, latency_l2 = 270;

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

struct Access {
  enum Kind { load, store, atomic };
  Kind kind = load;
  Space space = Space::global;
  Type type;
  uint64_t address = 0;
  size_t bytes = 0;
  double stride = 0;  ///< bytes from lane to lane
  bool waits = true;  ///< for what comes back
};

/// Bytes that one thread moves of an array, beyond its share of L1.
struct Moved {
  double array_bytes = HUGE_VAL, read = 0, written = 0;
};
using MovedByArray = std::map<uint64_t, Moved>;

/// Bytes of one of so many threads: an array comes from memory once and goes back once.
inline double from_memory(const MovedByArray& moved, double threads) {
  double bytes = 0;
  for (const auto& [array, one] : moved)
    bytes += std::min(one.read, one.array_bytes / threads) +
             std::min(one.written, one.array_bytes / threads);
  return bytes;
}

class Traffic {
 public:
  Traffic(double l1_bytes, const DeviceBytes& memory) : share_(l1_bytes), memory_(memory) {}

  /// Cycles until it is there.
  double add(const Access& one) {
    const auto width = double(one.bytes);
    if (one.space == Space::shared) {
      sum_.l1_cycles += shared_cycles(one) / lanes;
      return one.waits ? latency_l1 : 0;
    }
    // A lane's share of the sectors and lines that the warp touches.
    const double weight = std::clamp(one.stride, 1.0, sector) / sector;
    const double lines = std::clamp(one.stride * lanes / line, 1.0, lanes);
    sum_.l1_cycles += std::max(weight * lanes * std::max(width / sector, 1.0) / 4, lines) / lanes;
    const bool keeps = one.kind == Access::load || one.space == Space::local;
    const double missed = keeps ? share_.missed(one.address, one.bytes, weight)
                                : weight * std::max(1.0, width / sector);
    (one.kind == Access::atomic ? sum_.l2_atomics : sum_.l2_bytes) +=
        one.kind == Access::atomic ? missed : missed * sector;
    if (one.space != Space::local) move(one, missed * sector);
    return !one.waits ? 0 : missed > 0 ? latency_l2 : latency_l1;
  }

  const ThreadWork& sum() const { return sum_; }
  const MovedByArray& moved() const { return moved_; }

 private:
  /// A warp, in banks of four bytes: an even stride in words is a conflict. Sums of fp64 are loops
  /// of compare and swap up to compute capability 9.0: 24 cycles fit the H100's pic_deposit.
  static double shared_cycles(const Access& one) {
    constexpr double loop_cycles = 24;
    const auto words = uint64_t(one.stride / 4);
    const double ways = words == 0 ? 1 : double(std::min<uint64_t>(words & (~words + 1), 32));
    const double plain = std::max(ways, one.stride > 0 ? double(one.bytes) * lanes / line : 1);
    const bool loops = one.kind == Access::atomic && one.type.kind == 'f' && one.type.bits == 64;
    return loops ? std::max(loop_cycles, plain) : plain;
  }

  void move(const Access& one, double bytes) {
    const DevicePlace place = memory_(one.address, one.bytes);
    Moved& here = moved_[place.array];
    here.array_bytes = place.array_bytes;
    if (one.kind != Access::store) here.read += bytes;
    if (one.kind != Access::load) here.written += bytes;
  }

  Share share_;
  const DeviceBytes& memory_;
  ThreadWork sum_;
  MovedByArray moved_;
};

}  // namespace ptx
}  // namespace rooftune::run
