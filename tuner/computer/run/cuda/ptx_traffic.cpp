#include "run/cuda/ptx_traffic.h"

#include <algorithm>

namespace rooftune::run::ptx {
namespace {

/// Bytes in a sector and in a line.
constexpr double sector = 32, line_bytes = 128;
/// Cycles until data are there.
constexpr double latency_l1 = 33, latency_l2 = 270;

/// Cycles for a warp, in four-byte banks: an even stride in words is a conflict. Up to compute
/// capability 9.0 fp64 sums are compare-and-swap loops: 24 cycles fit pic_deposit on the H100.
double shared_cycles(const Access& one) {
  constexpr double loop_cycles = 24;
  const auto words = uint64_t(one.stride / 4);
  const double ways = words == 0 ? 1 : double(std::min<uint64_t>(words & (~words + 1), 32));
  const double plain = std::max(ways, one.stride > 0 ? double(one.bytes) * lanes / line_bytes : 1);
  const bool loops = one.kind == Access::atomic && one.type.kind == 'f' && one.type.bits == 64;
  return loops ? std::max(loop_cycles, plain) : plain;
}

}  // namespace

Share::Share(double bytes) : room_(bytes / sector) {}

double Share::missed(uint64_t address, size_t bytes, double weight) {
  constexpr size_t most = 48;
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

double from_memory(const MovedByArray& moved, double threads) {
  double bytes = 0;
  for (const auto& [array, one] : moved)
    bytes += std::min(one.read, one.array_bytes / threads) +
             std::min(one.written, one.array_bytes / threads);
  return bytes;
}

double Traffic::add(const Access& one) {
  const auto width = double(one.bytes);
  if (one.space == Space::shared) {
    sum_.l1_cycles += shared_cycles(one) / lanes;
    return one.waits ? latency_l1 : 0;
  }
  // The share that one lane has in the sectors and lines that the warp touches.
  const double weight = std::clamp(one.stride, 1.0, sector) / sector;
  const double lines = std::clamp(one.stride * lanes / line_bytes, 1.0, lanes);
  sum_.l1_cycles += std::max(weight * lanes * std::max(width / sector, 1.0) / 4, lines) / lanes;
  const bool keeps = one.kind == Access::load || one.space == Space::local;
  const double missed = keeps ? share_.missed(one.address, one.bytes, weight)
                              : weight * std::max(1.0, width / sector);
  (one.kind == Access::atomic ? sum_.l2_atomics : sum_.l2_bytes) +=
      one.kind == Access::atomic ? missed : missed * sector;
  if (one.space != Space::local) move(one, missed * sector);
  return !one.waits ? 0 : missed > 0 ? latency_l2 : latency_l1;
}

void Traffic::move(const Access& one, double bytes) {
  const DevicePlace place = memory_(one.address, one.bytes);
  Moved& here = moved_[place.array];
  here.array_bytes = place.array_bytes;
  if (one.kind != Access::store) here.read += bytes;
  if (one.kind != Access::load) here.written += bytes;
}

}  // namespace rooftune::run::ptx
