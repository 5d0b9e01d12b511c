#include "roofline/applicable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

using Ceilings = std::vector<const Ceiling*>;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

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

std::string threads_reason(const Ceiling& ceiling, int threads) {
  if (ceiling.threads == threads)
    return fmt::format("{} thread{}, as the variant", threads, threads == 1 ? "" : "s");
  return fmt::format("{} threads are the nearest measured to the variant's {}", ceiling.threads,
                     threads);
}

/// The mix of instructions with the nearest share of fused multiply-adds.
std::string mix_of(double fma_share) {
  return fma_share >= 0.75 ? "fma" : fma_share >= 0.25 ? "add_mul" : "add";
}

Applicable in_core(const std::string& precision, Flops flops, const Roofline& variant,
                   std::optional<double> fma_share) {
  Applicable result;
  const int threads = variant.threads;
  Ceilings all = nearest_threads(in_core_ceilings(variant.machine, precision, threads), threads);
  result.because.push_back(precision + ": the precision of its work");
  if (fma_share) {
    const std::string wanted = mix_of(*fma_share);
    Ceilings same;
    for (const Ceiling* ceiling : all)
      if (ceiling->mix == wanted) same.push_back(ceiling);
    result.because.push_back(percent(*fma_share) + " of the flops are fused multiply-adds: " +
                             (same.empty() ? wanted + " was not measured" : wanted));
    if (!same.empty()) all = same;
  } else {
    result.because.emplace_back(
        "the share of fused multiply-adds was not counted, so the fastest mix stands");
  }
  result.ceiling = fastest(all);
  if (!result.ceiling) return result;
  // A card's ceilings are of the whole card.
  if (!variant.machine.is_gpu())
    result.because.push_back(threads_reason(*result.ceiling, variant.threads));
  result.time = time_of(flops.value(), *result.ceiling).time;
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

Applicable bandwidth(const MemoryLevel& level, const LevelTraffic& moved, const Roofline& variant) {
  Applicable result;
  const Traffic& traffic = variant.traffic;
  const int threads = variant.threads;
  const double share = traffic.share_read();
  Ceilings all =
      streams(bandwidth_ceilings(variant.machine, level.name, threads), traffic.in_place());
  all = nearest_threads(all, threads);
  Ceilings own;
  for (const Ceiling* ceiling : all)
    if (!traffic.in_place() || ceiling->is_update() || share >= 1 || share <= 0)
      own.push_back(ceiling);
  result.ceiling = nearest_mix(own.empty() ? all : own, share, traffic.footprint.value());
  if (!result.ceiling) return result;
  result.because.push_back(fmt::format("{}: {} must cross it, of {} that are touched{}", level.name,
                                       to_text(moved.total()), to_text(traffic.footprint),
                                       traffic.warm ? " (warm caches)" : " (cold caches)"));
  result.because.push_back(
      fmt::format("{} of these bytes are read{}: {} ({} read) is the nearest measured mix",
                  percent(share), traffic.in_place() ? ", some are read and written in place" : "",
                  result.ceiling->mix, percent(result.ceiling->reads)));
  result.because.emplace_back("the kernel streams with unit stride at best");
  // A card's ceilings are of the whole card.
  if (!variant.machine.is_gpu())
    result.because.push_back(threads_reason(*result.ceiling, variant.threads));
  result.time = time_of(moved.total().value(), *result.ceiling).time;
  return result;
}

}  // namespace

std::vector<Applicable> applicable_ceilings(const Roofline& variant,
                                            std::optional<double> fma_share) {
  std::vector<Applicable> result;
  for (const auto& [precision, flops] : variant.work.least)
    if (flops.value() > 0) result.push_back(in_core(precision, flops, variant, fma_share));
  for (const MemoryLevel& level : variant.machine.levels) {
    const LevelTraffic moved = variant.least_traffic(level.name);
    if (moved.total().value() > 0) result.push_back(bandwidth(level, moved, variant));
  }
  if (const Ceiling* launch = variant.machine.fastest_launch(); launch && variant.machine.is_gpu())
    result.push_back({launch, time_of(1, *launch).time, {"a call launches at least one kernel"}});
  std::erase_if(result, [](const Applicable& one) { return one.ceiling == nullptr; });
  std::stable_sort(result.begin(), result.end(),
                   [](const Applicable& a, const Applicable& b) { return b.time < a.time; });
  return result;
}

}  // namespace rooftune::roofline
