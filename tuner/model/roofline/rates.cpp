#include "roofline/rates.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <map>

#include "core/list.h"

namespace rooftune::roofline {
namespace {

/// Shares closer than this are the same mix; only rounding separates them.
constexpr double same_share = 1e-9;
constexpr double unit_stride_bytes = 8;
/// On a one-way bus a mixture may move so much more than the fastest stream measured: among the
/// H100's rows (results/published/2026-11-26.h100) the fastest, stores, lies 3 % over the next.
constexpr double one_way_margin = 1.05;

bool pure(const Ceiling& ceiling) {
  return ceiling.reads <= same_share || ceiling.reads >= 1 - same_share;
}

/// Adds those ceilings of a family to `result` whose share is the nearest from below or above.
void add_nearest(const Ceilings& family, double share, Ceilings& result) {
  double below = -1, above = 2;
  for (const Ceiling* ceiling : family) {
    if (ceiling->reads <= share + same_share) below = std::max(below, ceiling->reads);
    if (ceiling->reads >= share - same_share) above = std::min(above, ceiling->reads);
  }
  for (const Ceiling* ceiling : family) {
    const bool nearest = std::abs(ceiling->reads - below) <= same_share ||
                         std::abs(ceiling->reads - above) <= same_share;
    const bool there = contains(result, ceiling);
    if (nearest && !there) result.push_back(ceiling);
  }
}

/// See in_core_ceilings.
template <class Fits>
Ceilings reachable(const Machine& machine, int threads, const Fits& fits) {
  Ceilings group;
  for (const Ceiling& ceiling : machine.ceilings)
    if (!ceiling.shown_only && fits(ceiling)) group.push_back(&ceiling);
  int limit = INT_MAX;
  int most = 0;
  for (const Ceiling* ceiling : group) {
    most = std::max(most, ceiling->threads);
    if (ceiling->threads >= threads) limit = std::min(limit, ceiling->threads);
  }
  if (limit == INT_MAX && most < most_threads(machine)) return {};
  return filtered(group, [&](const Ceiling* ceiling) { return ceiling->threads <= limit; });
}

/// A mix measured at some level and its fastest ceiling.
struct MeasuredMix {
  double share;
  const Ceiling* ceiling;
};

std::vector<MeasuredMix> mixes(const Ceilings& streams) {
  std::vector<MeasuredMix> result;
  for (const Ceiling* ceiling : streams) {
    if (ceiling->of_any_mix()) continue;
    auto* const same = first_where(result, [&](const MeasuredMix& mix) {
      return std::abs(mix.share - ceiling->reads) <= same_share;
    });
    if (!same)
      result.push_back({ceiling->reads, ceiling});
    else if (ceiling->rate.value > same->ceiling->rate.value)
      same->ceiling = ceiling;
  }
  return result;
}

/// How many bytes with mix `share` the given reads and writes contain.
double largest_part(const LevelTraffic& traffic, double share) {
  double bytes = HUGE_VAL;
  if (share > 0) bytes = std::min(bytes, traffic.read.value() / share);
  if (share < 1) bytes = std::min(bytes, traffic.write.value() / (1 - share));
  return bytes;
}

/// How fast mix `share` goes on a machine that moves one byte/s of mix `by`.
double demonstrated(double by, double share) {
  return largest_part({Bytes(by), Bytes(1 - by)}, share);
}

/// What limits a problem's streams, and the evidence for each stream's speed.
struct Streams {
  std::vector<MeasuredMix> limits, all;
  const Ceiling* peak = nullptr;  ///< holds for every mix
};

Streams streams_of(const Ceilings& streams) {
  Streams result;
  result.all = mixes(streams);
  Ceilings peaks, together;
  for (const Ceiling* ceiling : streams) {
    if (ceiling->of_any_mix()) peaks.push_back(ceiling);
    if (!ceiling->of_any_mix() && (ceiling->is_update() || pure(*ceiling)))
      together.push_back(ceiling);
  }
  // Work in place may mix updates with loads and stores, so no copy limits it.
  const bool in_place = any_of(streams, &Ceiling::is_update);
  result.limits = in_place ? mixes(together) : result.all;
  result.peak = fastest(peaks);
  sort(result.limits, {}, &MeasuredMix::share);
  return result;
}

/// How long `bytes` of mix `share` take at the fastest rate known.
CeilingTime fastest_time(const Streams& streams, double bytes, double share) {
  std::optional<CeilingTime> best;
  const auto keep = [&](const CeilingTime& time) {
    if (!best || time.time < best->time) best = time;
  };
  if (streams.peak) keep(time_of(bytes, *streams.peak));
  for (const MeasuredMix& mix : streams.all)
    if (const double factor = demonstrated(mix.share, share); factor > 0)
      keep(time_of(bytes / factor, *mix.ceiling));
  return *best;
}

/// How long `bytes` of the fastest mix take whose share of reads lies in [low, high]. At a share s
/// between two measured ones a < b nothing moves more than W / (1 - s), W the bytes mix a writes
/// per second, nor more than R / s, R those mix b reads: traffic with this share contains either
/// a's writes with their reads or b's reads with their writes. The first falls towards a, the
/// second towards b, so the fastest share is where they meet, or the nearest end.
CeilingTime any_mix_time(const Streams& streams, double bytes, double low, double high) {
  std::optional<CeilingTime> best;
  const auto keep = [&](const CeilingTime& time, double slower) {
    CeilingTime one = time;
    one.time = Seconds(time.time.value() * slower);
    one.low = Seconds(time.low.value() * slower);
    one.high = Seconds(time.high.value() * slower);
    if (!best || one.time < best->time) best = one;
  };
  std::optional<CeilingTime> before;
  double share = 0;  // that of `before`
  for (const MeasuredMix& limit : streams.limits) {
    const CeilingTime time = fastest_time(streams, bytes, limit.share);
    const double from = std::max(low, share), to = std::min(high, limit.share);
    if (before && from <= to) {
      const double written = (1 - share) / before->time.value();
      const double read = limit.share / time.time.value();
      const double s = std::clamp(read / (read + written), from, to);
      const double by_writes = (1 - s) / written, by_reads = s / read;
      const CeilingTime& binding = by_writes > by_reads ? *before : time;
      keep(binding, std::max(by_writes, by_reads) / binding.time.value());
    } else if (!before && low <= limit.share) {
      keep(time, 1);
    }
    before = time;
    share = limit.share;
  }
  if (before && high >= share) keep(*before, 1);
  if (!streams.peak) return *best;
  const CeilingTime peak = time_of(bytes, *streams.peak);
  return best && peak.time < best->time ? *best : peak;
}

/// How many operations of a kind a mix does per flop; 1 for an unknown mix, whose flops may be of
/// any kind.
double per_flop(const std::string& mix, const std::string& kind) {
  // Ordered as operation_kinds().
  static const ByName<std::array<double, 4>> shares{{"add", {1, 0, 0, 0}},
                                                    {"mul", {0, 1, 0, 0}},
                                                    {"add_mul", {0.5, 0.5, 0, 0}},
                                                    {"fma", {0.5, 0.5, 0, 0}},
                                                    {"fma_add", {2.0 / 3, 1.0 / 3, 0, 0}},
                                                    {"fma2_add", {0.6, 0.4, 0, 0}},
                                                    {"fma_mul", {1.0 / 3, 2.0 / 3, 0, 0}},
                                                    {"div", {0, 0, 1, 0}},
                                                    {"sqrt", {0, 0, 0, 1}}};
  auto* row = value_at(shares, mix);
  const auto& kinds = operation_kinds();
  const auto column = std::ranges::find(kinds, kind);
  if (!row || column == kinds.end()) return 1;
  return row->at(size_t(column - kinds.begin()));
}

}  // namespace

int element_bits(const std::string& precision) {
  const size_t digits = precision.find_first_of("0123456789");
  return digits == std::string::npos ? 64 : std::atoi(precision.c_str() + digits);
}

int most_threads(const Machine& machine) {
  int most = 1;
  for (const auto& ceiling : machine.ceilings) most = std::max(most, ceiling.threads);
  return most;
}

Ceilings in_core_ceilings(const Machine& machine, const std::string& precision, int threads) {
  return reachable(machine, threads, [&](const Ceiling& ceiling) {
    return ceiling.kind == Ceiling::Kind::in_core && ceiling.precision == precision;
  });
}

Ceilings bandwidth_ceilings(const Machine& machine, const std::string& level, int threads) {
  return reachable(machine, threads, [&](const Ceiling& ceiling) {
    return ceiling.kind == Ceiling::Kind::bandwidth && !ceiling.remote && ceiling.level == level;
  });
}

Ceilings with_threads(const Ceilings& ceilings, int threads) {
  int best = 0;
  for (const Ceiling* ceiling : ceilings)
    if (best == 0 || std::abs(ceiling->threads - threads) < std::abs(best - threads))
      best = ceiling->threads;
  return filtered(ceilings, [&](const Ceiling* ceiling) { return ceiling->threads == best; });
}

Ceilings streams(const Ceilings& ceilings, bool in_place) {
  Ceilings result;
  for (const Ceiling* ceiling : ceilings) {
    const bool contiguous =
        ceiling->mix != Ceiling::random_mix && ceiling->stride <= unit_stride_bytes;
    if (contiguous && (in_place || !ceiling->is_update())) result.push_back(ceiling);
  }
  return result;
}

Ceilings bracketing(const Ceilings& streams, double share) {
  Ceilings apart, together, result;
  bool updates = false;
  for (const Ceiling* ceiling : streams) {
    if (ceiling->of_any_mix()) {
      result.push_back(ceiling);
      continue;
    }
    updates = updates || ceiling->is_update();
    if (!ceiling->is_update()) apart.push_back(ceiling);
    if (ceiling->is_update() || pure(*ceiling)) together.push_back(ceiling);
  }
  add_nearest(apart, share, result);
  if (updates) add_nearest(together, share, result);
  return result;
}

const Ceiling* fastest(const Ceilings& ceilings) {
  const auto found = max_element(ceilings, {}, [](const Ceiling* one) { return one->rate.value; });
  return found == ceilings.end() ? nullptr : *found;
}

CeilingTime time_of(double amount, const Ceiling& ceiling) {
  CeilingTime result;
  result.ceiling = ceiling.name;
  result.level = ceiling.kind == Ceiling::Kind::in_core  ? ceiling.precision
                 : ceiling.kind == Ceiling::Kind::launch ? to_text(ceiling.kind)
                                                         : ceiling.level;
  result.time = Seconds(amount / ceiling.rate.value);
  result.low = Seconds(amount / ceiling.rate.high);
  result.high = Seconds(amount / ceiling.rate.low);
  return result;
}

std::optional<CeilingTime> stream_time(const Ceilings& ceilings, const LevelTraffic& traffic,
                                       bool one_way) {
  const double total = traffic.total().value();
  if (ceilings.empty() || !(total > 0)) return std::nullopt;
  const Streams streams = streams_of(ceilings);
  if (streams.limits.empty() && !streams.peak) return std::nullopt;
  CeilingTime slowest = any_mix_time(streams, total, traffic.read.value() / total,
                                     (traffic.read + traffic.either).value() / total);
  for (const MeasuredMix& limit : streams.limits) {
    const double part = largest_part(traffic, limit.share);
    if (!(part > 0)) continue;
    const CeilingTime time = fastest_time(streams, part, limit.share);
    if (time.time > slowest.time) slowest = time;
  }
  if (one_way)
    if (const CeilingTime time = time_of(total / one_way_margin, *fastest(ceilings));
        time.time > slowest.time)
      slowest = time;
  return slowest;
}

std::optional<CeilingTime> operations_time(const Ceilings& ceilings,
                                           const NamedNumbers& operations) {
  std::optional<CeilingTime> slowest;
  for (const auto& [kind, count] : operations) {
    std::optional<CeilingTime> least;
    for (const Ceiling* ceiling : ceilings)
      if (const double share = per_flop(ceiling->mix, kind); share > 0) {
        const CeilingTime time = time_of(count / share, *ceiling);
        if (!least || time.time < least->time) least = time;
      }
    if (least && count > 0 && (!slowest || slowest->time < least->time)) slowest = least;
  }
  return slowest;
}

std::optional<CeilingTime> seen_time(const Ceilings& ceilings, const LevelTraffic& traffic) {
  const double total = traffic.total().value();
  std::optional<CeilingTime> least;
  for (const MeasuredMix& mix : mixes(ceilings))
    // Optional bytes go in the direction in which this mix has more to spare.
    for (const Bytes read : {traffic.read, traffic.read + traffic.either})
      if (const double factor = demonstrated(mix.share, read.value() / total); factor > 0) {
        const CeilingTime time = time_of(total / factor, *mix.ceiling);
        if (!least || time.time < least->time) least = time;
      }
  return least;
}

std::optional<CeilingTime> seen_time(const Ceilings& ceilings, const NamedNumbers& operations) {
  std::optional<CeilingTime> least;
  for (const Ceiling* ceiling : ceilings) {
    double flops = 0;
    for (const auto& [kind, count] : operations)
      if (count > 0) flops = std::max(flops, count / per_flop(ceiling->mix, kind));
    if (!(flops > 0) || !std::isfinite(flops)) continue;
    const CeilingTime time = time_of(flops, *ceiling);
    if (!least || time.time < least->time) least = time;
  }
  return least;
}

}  // namespace rooftune::roofline
