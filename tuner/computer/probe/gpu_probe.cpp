#include "probe/gpu_probe.h"

#include <fmt/format.h>

#include <algorithm>

#include "probe/gpu_campaign.h"

namespace rooftune::probe {
namespace {

bool same_subject(const Ceiling& one, const Ceiling& other) {
  return one.kind == other.kind && one.precision == other.precision && one.level == other.level;
}

}  // namespace

void add_published(Machine& measured, const Machine& published) {
  constexpr int warp_groups = 90;
  const std::vector<Ceiling> own = measured.ceilings;
  const bool beyond_reach = measured.gpu && measured.gpu->compute_capability >= warp_groups;
  for (Ceiling ceiling : published.ceilings) {
    if (!ceiling.level.empty() && !measured.level(ceiling.level)) continue;
    const Ceiling* best = nullptr;  // with an unstable fastest one, the others are no roof
    for (const Ceiling& mine : own)
      if (same_subject(mine, ceiling) && (!best || mine.rate.value > best->rate.value))
        best = &mine;
    const bool covered = best && best->stable;
    const bool tensor = ceiling.precision.ends_with("_tensor");
    ceiling.shown_only = ceiling.shown_only || (covered && !(tensor && beyond_reach));
    while (ceiling_named(measured.ceilings, ceiling.name)) ceiling.name += " (published)";
    measured.ceilings.push_back(std::move(ceiling));
  }
  measured.notes.push_back(fmt::format(
      "figures of machine {} stand beside the measured ones; they bind only what was not "
      "measured{}",
      published.name,
      beyond_reach ? ", and tensor cores, whose peak needs instructions that the probe does not use"
                   : ""));
}

Machine probe_gpu(GpuMachine& card, const GpuCard& description, const GpuProbeOptions& options) {
  GpuCampaign campaign(card, description, options);
  campaign.find_levels();
  campaign.measure_in_core();
  campaign.measure_memory();
  campaign.measure_launches();
  campaign.remeasure_inconsistent();
  return campaign.finish();
}

}  // namespace rooftune::probe
