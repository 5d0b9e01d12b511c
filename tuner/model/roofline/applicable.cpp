#include "roofline/applicable.h"

#include <algorithm>
#include <cmath>

#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

using Ceilings = std::vector<const Ceiling*>;

/// Those with the number of threads nearest to the variant's, from below when two are as near.
Ceilings nearest_threads(const Ceilings& all, int threads) {
  int best = 0;
  for (const Ceiling* ceiling : all)
    if (best == 0 || std::abs(ceiling->threads - threads) < std::abs(best - threads))
      best = ceiling->threads;
  Ceilings result;
  for (const Ceiling* ceiling : all)
    if (ceiling->threads == best) result.push_back(ceiling);
  return result;
}

/// Nearest share of reads; of equal ones the nearest working set, then the fastest.
const Ceiling* nearest_mix(const Ceilings& all, double share, double footprint) {
  const auto rank = [&](const Ceiling& ceiling) {
    const double distance = std::round(100 * std::abs(ceiling.reads - share));
    const double size = ceiling.working_set > 0 && footprint > 0
                            ? std::round(2 * std::abs(std::log2(ceiling.working_set / footprint)))
                            : 0;
    return std::tuple(distance, size, -ceiling.rate.value);
  };
  const auto found = std::min_element(
      all.begin(), all.end(), [&](const auto* a, const auto* b) { return rank(*a) < rank(*b); });
  return found == all.end() ? nullptr : *found;
}

const Ceiling* of_level(const MemoryLevel& level, const Roofline& variant) {
  const Traffic& traffic = variant.traffic;
  const double share = traffic.share_read();
  const Ceilings all = nearest_threads(
      streams(bandwidth_ceilings(variant.machine, level.name, variant.threads), traffic.in_place()),
      variant.threads);
  Ceilings own;
  for (const Ceiling* ceiling : all)
    if (!traffic.in_place() || ceiling->is_update() || share >= 1 || share <= 0)
      own.push_back(ceiling);
  return nearest_mix(own.empty() ? all : own, share, traffic.footprint.value());
}

}  // namespace

const Ceiling* applicable_ceiling(const Roofline& variant) {
  const Ceiling* slowest = nullptr;
  Seconds longest{-1};
  const auto consider = [&](const Ceiling* ceiling, double amount) {
    if (!ceiling) return;
    const Seconds time = time_of(amount, *ceiling).time;
    if (time <= longest) return;
    slowest = ceiling;
    longest = time;
  };
  for (const auto& [precision, flops] : variant.work.least)
    if (flops.value() > 0)
      consider(fastest(nearest_threads(
                   in_core_ceilings(variant.machine, precision, variant.threads), variant.threads)),
               flops.value());
  for (const MemoryLevel& level : variant.machine.levels)
    if (const double bytes = variant.least_traffic(level.name).total().value(); bytes > 0)
      consider(of_level(level, variant), bytes);
  if (variant.machine.is_gpu()) consider(variant.machine.fastest_launch(), 1);
  return slowest;
}

}  // namespace rooftune::roofline
