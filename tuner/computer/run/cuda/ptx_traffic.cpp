#include "run/cuda/ptx_traffic.h"

#include <algorithm>

namespace rooftune::run::ptx {
namespace {

constexpr uint64_t word_bytes = 4, sector_bytes = 32, line_bytes = 128;
/// What L2 fetches from memory at a time: loads 128 bytes apart have an eighth of the rate of dense
/// ones (results/published/2026-11-26.h100/card.json, "DRAM load stride128").
constexpr uint64_t fetch_bytes = 64;
/// Cycles until data are there, measured on an H100 (the same file).
constexpr double latency_l1 = 40, latency_l2 = 290, latency_memory = 700;

/// Cycles for a warp, in four-byte banks: an even stride in words is a conflict. Up to compute
/// capability 9.0 fp64 sums are compare-and-swap loops: 24 cycles fit pic_deposit on the H100.
double shared_cycles(const Access& one) {
  constexpr double loop_cycles = 24;
  const auto words = uint64_t(one.stride / 4);
  const double ways = words == 0 ? 1 : double(std::min<uint64_t>(words & (~words + 1), 32));
  const double plain =
      std::max(ways, one.stride > 0 ? double(one.bytes) * lanes / double(line_bytes) : 1);
  const bool loops = one.kind == Access::atomic && one.type.kind == 'f' && one.type.bits == 64;
  return loops ? std::max(loop_cycles, plain) : plain;
}

}  // namespace

bool Share::misses(uint64_t address, double stride) {
  const uint64_t number = address / line_bytes;
  const unsigned part = 1U << (address % line_bytes / part_);
  if (const auto known = place_.find(number); known != place_.end()) {
    held_.splice(held_.begin(), held_, known->second);
    const bool missing = (held_.front().parts & part) == 0;
    held_.front().parts |= part;
    return missing;
  }
  held_.push_front({number, part, std::clamp(stride, 1.0, double(line_bytes))});
  place_[number] = held_.begin();
  used_ += held_.front().bytes;
  while (used_ > room_ && held_.size() > 1) {
    used_ -= held_.back().bytes;
    place_.erase(held_.back().number);
    held_.pop_back();
  }
  return true;
}

double from_memory(const MovedByArray& moved, double threads) {
  double bytes = 0;
  for (const auto& [array, one] : moved)
    bytes += std::min(one.read, one.array_bytes / threads) +
             std::min(one.written, one.array_bytes / threads);
  return bytes;
}

Traffic::Traffic(const CacheShares& shares, const DeviceBytes& memory)
    : l1_(shares.l1, sector_bytes), l2_(shares.l2, fetch_bytes), memory_(memory) {}

double Traffic::add(const Access& one) {
  if (one.space == Space::shared) {
    sum_.l1_cycles += shared_cycles(one) / lanes;
    return one.waits ? latency_l1 : 0;
  }
  // A warp's lanes lie side by side in local memory: each of a thread's words has its own line.
  const bool local = one.space == Space::local;
  const uint64_t part = local ? word_bytes : sector_bytes, apart = local ? line_bytes : part;
  const double stride = local ? double(word_bytes) : one.stride;
  // The share that one lane has in the sectors that the warp touches.
  const double weight = std::clamp(stride, 1.0, double(sector_bytes)) / double(sector_bytes);
  const bool keeps = one.kind == Access::load || local;
  const bool alone = keeps && (local || stride >= double(fetch_bytes));
  double touched = 0, missed = 0, moved = 0, again = 0;
  for (uint64_t k = one.address / part; k <= (one.address + one.bytes - 1) / part; ++k) {
    const uint64_t address = k * apart;
    touched += weight;
    if (keeps && !l1_.misses(address, stride)) continue;
    missed += weight;
    // What other lanes read too may be in L2 by them, however long ago this one read it.
    if (!alone)
      moved += weight * double(sector_bytes);
    else if (l2_.misses(address, stride))
      (fetched_.insert(address / fetch_bytes).second ? moved : again) +=
          std::min(stride, double(fetch_bytes));
  }
  const double lines = std::clamp(one.stride * lanes / double(line_bytes), 1.0, lanes) / lanes;
  sum_.l1_cycles += std::max(touched / 4, lines);
  sum_.dram_bytes += again;
  if (one.kind == Access::atomic)
    sum_.l2_atomics += lines;
  else
    sum_.l2_bytes += missed * double(sector_bytes);
  if (!local) move(one, moved);
  if (!one.waits) return 0;
  return again > 0 ? latency_memory : missed > 0 ? latency_l2 : latency_l1;
}

void Traffic::move(const Access& one, double bytes) {
  const DevicePlace place = memory_(one.address, one.bytes);
  Moved& here = moved_[place.array];
  here.array_bytes = place.array_bytes;
  if (one.kind != Access::store) here.read += bytes;
  if (one.kind != Access::load) here.written += bytes;
}

}  // namespace rooftune::run::ptx
