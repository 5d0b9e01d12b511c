// GPUs from the user's point of view: a card's machine file, and what a study needs to compile for
// the card, run on it, or only plan.
#include "host/cards.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/fields.h"
#include "core/list.h"
#include "host/host_platform.h"
#include "run/gpu_runtime.h"
#include "study/machines.h"
#include "study/platform.h"

namespace rooftune::host {
namespace {

/// The place that faults name, in the user's word.
constexpr const char* card_option = "--gpu";

/// How a planned launch fills the card.
struct Residency {
  const PlannedLaunch& launch;
  KernelResources resources;
  Occupancy occupancy;
  double waves = 0;  ///< how often the grid fills the whole card
};

std::vector<Residency> residencies(const GpuPlan& plan, const Machine& machine) {
  const GpuFacts& gpu = gpu_of(machine);
  std::vector<Residency> all;
  for (const PlannedLaunch& launch : plan.launches) {
    Residency one{launch, {}, {}};
    for (const KernelResources& known : plan.kernels)
      if (known.kernel == launch.kernel) one.resources = known;
    one.resources.shared_bytes += launch.shared_bytes;
    one.occupancy =
        occupancy(gpu, launch.threads, one.resources.registers, one.resources.shared_bytes);
    const double resident = double(one.occupancy.blocks) * gpu.multiprocessors;
    if (resident > 0) one.waves = double(launch.blocks) / resident;
    all.push_back(one);
  }
  return all;
}

/// Why a configuration cannot be measured on the machine (does not compile, cannot be launched,
/// spills more than it computes); empty if it can.
std::string impossible_launch_reason(const GpuPlan& plan, const Machine& machine) {
  if (!plan.artefact.error.empty()) return "does not compile: " + plan.artefact.error;
  if (!plan.fault.empty()) return plan.fault;
  for (const auto& [launch, resources, occupancy, waves] : residencies(plan, machine))
    // PTX lacks register counts: the driver decides.
    if (resources.registers > 0 && occupancy.blocks == 0)
      return fmt::format("{} cannot be launched: a block of {} threads does not fit ({})",
                         launch.kernel, launch.threads, occupancy.limited_by);
  return rooftune::excessive_spill_reason(plan.kernels);
}

}  // namespace

std::string why_no_card(const Machine& machine, const std::string& card) {
  InstalledCard here;
  try {
    here = installed_card(card);
  } catch (const Error& error) {
    if (error.where() == card_option) throw;
    return error.message();
  }
  const GpuFacts& gpu = gpu_of(machine);
  if (!gpu.describes(here.name))
    return fmt::format("the card here is {} ({})", here.name, here.uuid);
  if (gpu.multiprocessors != here.facts.multiprocessors)
    return fmt::format("the card here has {} multiprocessors, the machine file says {}",
                       here.facts.multiprocessors, gpu.multiprocessors);
  return {};
}

std::string lock_name(const std::string& card) {
  try {
    return installed_card(card).uuid;
  } catch (const Error&) {  // require_here() tells it
    return "gpu";
  }
}

const GpuFacts& gpu_of(const Machine& machine) {
  if (!machine.gpu)
    throw Unavailable(
        fmt::format("machine \"{}\" says nothing of a GPU's multiprocessors", machine.name),
        "machines/" + machine.name + ".json: /gpu",
        "add a \"gpu\" object (docs/formats.md), or tune probe --gpu writes one");
  return *machine.gpu;
}

void use_gpu_compiler(ArtefactCache& cache, const Machine& machine, const std::string& runtime) {
  const GpuRuntime& row = gpu_runtime(runtime);
  cache.use_warps_of(gpu_of(machine).warp);
  cache.use(row.compiler().choose(gpu_of(machine).compute_capability, row.driver()));
}

std::optional<CallTime> planned_time(const GpuPlan& plan, const Machine& machine, Seconds least) {
  if (!impossible_launch_reason(plan, machine).empty()) return {};
  std::vector<LaunchWork> launches;
  for (const auto& [launch, resources, occupancy, waves] : residencies(plan, machine)) {
    if (!launch.work) return {};
    launches.push_back({*launch.work, double(launch.blocks), double(launch.threads),
                        double(occupancy.blocks), double(launch.times)});
  }
  return call_time(launches, machine, least);
}

std::string plan_line(const GpuPlan& plan, const Machine& machine) {
  if (const std::string why = impossible_launch_reason(plan, machine); !why.empty())
    return "pruned: " + why;
  std::string text;
  for (const auto& [launch, kernel, occupancy, waves] : residencies(plan, machine)) {
    const std::string what =
        kernel.registers > 0
            ? fmt::format("{} registers, {} B stack, {} B spilled, {} B shared", kernel.registers,
                          kernel.stack_bytes, kernel.spill_stores + kernel.spill_loads,
                          kernel.shared_bytes)
            : std::string("registers unknown before a driver compiles its PTX");
    const std::string fit =
        kernel.registers > 0
            ? fmt::format(" ({:.3g} waves), occupancy {:.0f} % ({} blocks, limited by {})", waves,
                          100 * occupancy.share, occupancy.blocks, occupancy.limited_by)
            : std::string();
    join(text,
         fmt::format("{}: {}, {} blocks of {} threads{}{}", launch.kernel, what, launch.blocks,
                     launch.threads, fit,
                     launch.times > 1 ? fmt::format(", {} times", launch.times) : ""),
         "; ");
  }
  return text;
}

Json to_json(const GpuPlan& plan, const Machine& machine) {
  Json launches = Json::array();
  for (const auto& [launch, resources, occupancy, waves] : residencies(plan, machine)) {
    FieldWriter one;
    ROOFTUNE_EACH(one, launch, kernel, blocks, threads, times);
    one("shared_bytes", resources.shared_bytes);
    // PTX has none of this.
    if (resources.registers > 0) {
      ROOFTUNE_EACH(one, resources, registers, stack_bytes);
      one("spill_store_bytes", resources.spill_stores)("spill_load_bytes", resources.spill_loads);
      one("resident_blocks", occupancy.blocks);
      one("occupancy", occupancy.share)("limited_by", occupancy.limited_by)("waves", waves);
    }
    launches.push_back(one("work", launch.work).json);
  }
  // Elsewhere the time is never below the problem's bound, which is not known here.
  const auto time = planned_time(plan, machine, Seconds(0));
  return {{"artefact", plan.artefact.key},
          {"hopeless", impossible_launch_reason(plan, machine)},
          {"device_bytes", plan.device_bytes},
          {"expected", time ? encode(*time) : Json()},
          {"not_followed", plan.not_followed},
          {"guessed", encode(plan.guessed)},
          {"launches", launches}};
}

}  // namespace rooftune::host
