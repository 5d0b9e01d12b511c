#include "roofline/rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftune::inline roofline {
namespace {

using Ceilings = std::vector<const Ceiling*>;

/// Shares closer than this are the same mix; only rounding separates them.
constexpr double same_share = 1e-9;
constexpr double unit_stride_bytes = 8;

/// A theoretical peak holds for every mix of reads and writes.
bool any_mix(const Ceiling& ceiling) { return ceiling.mix == "peak"; }

bool update(const Ceiling& ceiling) { return ceiling.mix == "update"; }

bool pure(const Ceiling& ceiling) {
  return ceiling.reads <= same_share || ceiling.reads >= 1 - same_share;
}

/// Adds to `result` those of a family whose share is the nearest from below or from above.
void add_nearest(const Ceilings& family, double share, Ceilings& result) {
  double below = -1, above = 2;
  for (const Ceiling* ceiling : family) {
    if (ceiling->reads <= share + same_share) below = std::max(below, ceiling->reads);
    if (ceiling->reads >= share - same_share) above = std::min(above, ceiling->reads);
  }
  for (const Ceiling* ceiling : family) {
    const bool nearest = std::abs(ceiling->reads - below) <= same_share ||
                         std::abs(ceiling->reads - above) <= same_share;
    const bool there = std::find(result.begin(), result.end(), ceiling) != result.end();
    if (nearest && !there) result.push_back(ceiling);
  }
}

int most_threads(const Machine& machine) {
  int most = 0;
  for (const auto& ceiling : machine.ceilings) most = std::max(most, ceiling.threads);
  return most;
}

/// See in_core_ceilings.
Ceilings reachable(const Machine& machine, const Ceilings& group, int threads) {
  int limit = std::numeric_limits<int>::max();
  int most = 0;
  for (const Ceiling* ceiling : group) {
    most = std::max(most, ceiling->threads);
    if (ceiling->threads >= threads) limit = std::min(limit, ceiling->threads);
  }
  if (limit == std::numeric_limits<int>::max() && most < most_threads(machine)) return {};
  Ceilings result;
  for (const Ceiling* ceiling : group)
    if (ceiling->threads <= limit) result.push_back(ceiling);
  return result;
}

/// A mix measured at some level and its fastest ceiling.
struct MeasuredMix {
  double share;
  const Ceiling* ceiling;
};

std::vector<MeasuredMix> mixes(const Ceilings& streams) {
  std::vector<MeasuredMix> result;
  for (const Ceiling* ceiling : streams) {
    if (any_mix(*ceiling)) continue;
    const auto same = std::find_if(result.begin(), result.end(), [&](const MeasuredMix& mix) {
      return std::abs(mix.share - ceiling->reads) <= same_share;
    });
    if (same == result.end())
      result.push_back({ceiling->reads, ceiling});
    else if (ceiling->rate.value > same->ceiling->rate.value)
      same->ceiling = ceiling;
  }
  return result;
}

/// Bytes of mix `share` that fit into the reads and writes given.
double largest_part(const LevelTraffic& traffic, double share) {
  double bytes = std::numeric_limits<double>::infinity();
  if (share > 0) bytes = std::min(bytes, traffic.read.value() / share);
  if (share < 1) bytes = std::min(bytes, traffic.write.value() / (1 - share));
  return bytes;
}

/// Rate at which a machine that moves one byte/s of mix `by` can move mix `share`.
double demonstrated(double by, double share) {
  return largest_part({Bytes(by), Bytes(1 - by)}, share);
}

/// `bytes` of mix `share` at the fastest rate known.
CeilingTime fastest_time(const Ceilings& streams, const std::vector<MeasuredMix>& all, double bytes,
                         double share) {
  CeilingTime best = time_of(bytes, *fastest(bracketing(streams, share)));
  for (const MeasuredMix& mix : all) {
    const double factor = demonstrated(mix.share, share);
    if (factor <= 0) continue;
    const CeilingTime time = time_of(bytes / factor, *mix.ceiling);
    if (time.time < best.time) best = time;
  }
  return best;
}

}  // namespace

std::vector<const Ceiling*> in_core_ceilings(const Machine& machine, const std::string& precision,
                                             int threads) {
  Ceilings group;
  for (const auto& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.stable && !ceiling.shown_only &&
        ceiling.precision == precision)
      group.push_back(&ceiling);
  return reachable(machine, group, threads);
}

std::vector<const Ceiling*> bandwidth_ceilings(const Machine& machine, const std::string& level,
                                               int threads) {
  Ceilings group;
  for (const auto& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::bandwidth && ceiling.stable && !ceiling.shown_only &&
        !ceiling.remote && ceiling.level == level)
      group.push_back(&ceiling);
  return reachable(machine, group, threads);
}

std::vector<const Ceiling*> streams(const std::vector<const Ceiling*>& ceilings, bool in_place) {
  Ceilings result;
  for (const Ceiling* ceiling : ceilings) {
    const bool contiguous = ceiling->mix != "random" && ceiling->stride <= unit_stride_bytes;
    if (contiguous && (in_place || !update(*ceiling))) result.push_back(ceiling);
  }
  return result;
}

std::vector<const Ceiling*> bracketing(const std::vector<const Ceiling*>& streams, double share) {
  Ceilings apart, together, result;
  bool updates = false;
  for (const Ceiling* ceiling : streams) {
    if (any_mix(*ceiling)) {
      result.push_back(ceiling);
      continue;
    }
    updates = updates || update(*ceiling);
    if (!update(*ceiling)) apart.push_back(ceiling);
    if (update(*ceiling) || pure(*ceiling)) together.push_back(ceiling);
  }
  add_nearest(apart, share, result);
  if (updates) add_nearest(together, share, result);
  return result;
}

const Ceiling* fastest(const std::vector<const Ceiling*>& ceilings) {
  const auto found = std::max_element(
      ceilings.begin(), ceilings.end(),
      [](const Ceiling* a, const Ceiling* b) { return a->rate.value < b->rate.value; });
  return found == ceilings.end() ? nullptr : *found;
}

CeilingTime time_of(double amount, const Ceiling& ceiling) {
  CeilingTime result;
  result.ceiling = ceiling.name;
  result.level = ceiling.kind == Ceiling::Kind::in_core ? ceiling.precision : ceiling.level;
  result.time = Seconds(amount / ceiling.rate.value);
  result.low = Seconds(amount / ceiling.rate.high);
  result.high = Seconds(amount / ceiling.rate.low);
  return result;
}

std::optional<CeilingTime> stream_time(const std::vector<const Ceiling*>& streams,
                                       const LevelTraffic& traffic) {
  const double total = traffic.total().value();
  if (streams.empty() || !(total > 0)) return std::nullopt;
  const auto all = mixes(streams);
  CeilingTime slowest = fastest_time(streams, all, total, traffic.read.value() / total);
  for (const MeasuredMix& mix : all) {
    const double bytes = largest_part(traffic, mix.share);
    const CeilingTime time = fastest_time(streams, all, bytes, mix.share);
    if (time.time > slowest.time) slowest = time;
  }
  return slowest;
}

std::optional<CeilingTime> certain_stream_time(const std::vector<const Ceiling*>& streams,
                                               const LevelTraffic& traffic) {
  std::optional<CeilingTime> slowest;
  const auto keep = [&](const CeilingTime& time) {
    if (!slowest || time.time > slowest->time) slowest = time;
  };
  const auto all = mixes(streams);
  for (const MeasuredMix& mix : all) {
    const double bytes = largest_part(traffic, mix.share);
    if (!(bytes > 0)) continue;
    CeilingTime best = time_of(bytes, *mix.ceiling);
    for (const MeasuredMix& other : all) {
      const double factor = demonstrated(other.share, mix.share);
      if (factor <= 0) continue;
      const CeilingTime shown = time_of(bytes / factor, *other.ceiling);
      if (shown.time < best.time) best = shown;
    }
    keep(best);
  }
  Ceilings peaks;
  for (const Ceiling* ceiling : streams)
    if (any_mix(*ceiling)) peaks.push_back(ceiling);
  if (const Ceiling* peak = fastest(peaks); peak && traffic.total().value() > 0)
    keep(time_of(traffic.total().value(), *peak));
  return slowest;
}

}  // namespace rooftune::inline roofline
