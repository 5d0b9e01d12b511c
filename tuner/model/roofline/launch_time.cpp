#include "roofline/launch_time.h"

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

constexpr double warp = 32;
/// What a multiprocessor does per cycle: lanes for integers and special functions; warps that it
/// issues.
constexpr double integer_lanes = 64, special_lanes = 16, issue_slots = 4;
/// How many instructions the integer pipe gets for one in PTX: addresses become part of other
/// instructions, and multiply-adds run elsewhere (CUPTI's counts in
/// results/published/2026-11-27.h100).
constexpr double integers_kept = 0.6;
/// Atomic operations of a warp on a line cost L2 as much as so many bytes: fits pic_deposit's
/// baseline.
constexpr double atomic_bytes = 256;
/// A launch's time, where the machine has no ceiling for it [s].
constexpr double usual_launch = 2.5e-6;
/// Highest measured time over the expected one, along gpp's published path on an H100
/// (results/published/2026-11-26.h100).
constexpr double usual_spread = 1.5;

/// A multiprocessor's single-precision lanes (CUDA C++ Programming Guide, arithmetic instructions).
double fp32_lanes(int compute_capability) {
  return compute_capability == 80 || compute_capability < 80 ? 64 : 128;
}

/// What the whole card does in a second.
struct CardRates {
  double clock = 0, fp64 = 0, fp32 = 0;
  double l2 = HUGE_VAL, dram = HUGE_VAL;  ///< [B/s], where they are known
  double l2_bytes = 0;                    ///< how much L2 holds
  double tensor = HUGE_VAL;               ///< multiply-adds in fp16
  double multiprocessors = 1;
};

/// A memory rate for reads and writes together, since nothing tells their shares.
double memory_rate(const Machine& machine) {
  Ceilings mixed, all = streams(bandwidth_ceilings(machine, "DRAM", 1), false);
  for (const Ceiling* one : all)
    if (!one->of_any_mix() && one->reads > 0 && one->reads < 1) mixed.push_back(one);
  const Ceiling* const known = fastest(mixed.empty() ? all : mixed);
  return known ? known->rate.value : HUGE_VAL;
}

std::optional<CardRates> rates_of(const Machine& machine) {
  if (!machine.gpu) return {};
  const Ceiling* const fp64 = fastest(in_core_ceilings(machine, "fp64", 1));
  const Ceiling* const fp32 = fastest(in_core_ceilings(machine, "fp32", 1));
  const Ceiling* const l2 = fastest(bandwidth_ceilings(machine, "L2", 1));
  if (!fp64 || !fp32) return {};
  CardRates rates;
  rates.multiprocessors = machine.gpu->multiprocessors;
  // A ceiling counts a multiply-add twice.
  rates.fp64 = fp64->rate.high / 2;
  rates.fp32 = fp32->rate.high / 2;
  if (l2) rates.l2 = l2->rate.value;
  if (const MemoryLevel* const level = machine.level("L2"))
    rates.l2_bytes = level->capacity.value_or(0) * level->instances;
  rates.dram = memory_rate(machine);
  if (const Ceiling* const tensor = fastest(in_core_ceilings(machine, "fp16_tensor", 1)))
    rates.tensor = tensor->rate.value / 2;
  rates.clock = rates.fp32 / (rates.multiprocessors * fp32_lanes(machine.gpu->compute_capability));
  return rates;
}

struct Part {
  const char* what;
  double seconds;
};

const Part& longest(const std::vector<Part>& parts) {
  return *std::ranges::max_element(parts, {}, &Part::seconds);
}

/// How many threads the card would run if each multiprocessor had as many as the busiest.
double as_if_even(const LaunchWork& launch, double multiprocessors) {
  return std::ceil(launch.blocks / multiprocessors) * multiprocessors * launch.threads;
}

std::vector<Part> pipes(const LaunchWork& launch, const CardRates& card) {
  const double cycles = card.multiprocessors * card.clock;
  const double threads = as_if_even(launch, card.multiprocessors);
  const ThreadWork& one = launch.thread;
  return {{"fp64 pipe", threads * one.fp64 / card.fp64},
          {"fp32 pipe", threads * one.fp32 / card.fp32},
          {"integer pipe", threads * integers_kept * one.integer / (cycles * integer_lanes)},
          {"tensor pipe", threads * one.tensor / card.tensor},
          {"special functions", threads * one.special / (cycles * special_lanes)},
          {"issue", threads * one.issued / (cycles * issue_slots * warp)}};
}

std::vector<Part> levels(const LaunchWork& launch, const CardRates& card) {
  const double cycles = card.multiprocessors * card.clock;
  const double threads = as_if_even(launch, card.multiprocessors);
  return {{"L1", threads * launch.thread.l1_cycles / cycles},
          {"L2", launch.blocks * launch.threads *
                     (launch.thread.l2_bytes + atomic_bytes * launch.thread.l2_atomics) / card.l2}};
}

/// Arrays that fit into L2 do not come from memory; from twice its size on, they do in full [s].
double from_memory(const LaunchWork& launch, const CardRates& card) {
  const double bytes = launch.blocks * launch.threads * launch.thread.dram_bytes;
  const double share = card.l2_bytes > 0 ? std::clamp(bytes / card.l2_bytes - 1, 0.0, 1.0) : 1;
  return share * bytes / card.dram;
}

/// How long a warp waits for its own results, one grid of resident blocks after the other.
double wait(const LaunchWork& launch, const CardRates& card) {
  const double waves = launch.blocks / (std::max(launch.resident, 1.0) * card.multiprocessors);
  return std::max(waves, 1.0) * launch.thread.wait / card.clock;
}

}  // namespace

std::optional<CallTime> call_time(const std::vector<LaunchWork>& launches, const Machine& machine,
                                  Seconds least) {
  const std::optional<CardRates> card = rates_of(machine);
  if (!card) return {};
  const Ceiling* const known = machine.fastest_launch();
  const double launching = known ? 1 / known->rate.value : usual_launch;
  NamedNumbers by_pipe, by_limit;
  double reachable = 0, time = 0, low = 0;
  for (const LaunchWork& launch : launches) {
    std::vector<Part> parts = pipes(launch, *card);
    const Part pipe = longest(parts);
    const std::vector<Part> others = levels(launch, *card);
    append(parts, others);
    parts.push_back({"launch", launching});
    const double busy = longest(parts).seconds, waiting = wait(launch, *card);
    parts.push_back({"waiting", waiting});
    parts.push_back({"DRAM", from_memory(launch, *card)});
    const Part slowest = longest(parts);
    reachable += launch.times * pipe.seconds;
    low += launch.times * slowest.seconds;
    // Warps that wait together leave the pipes idle: the two hardly overlap. Memory goes on.
    time += launch.times * std::max(busy + waiting, parts.back().seconds);
    by_pipe[pipe.what] += launch.times * pipe.seconds;
    by_limit[slowest.what] += launch.times * slowest.seconds;
  }
  const auto most = [](const NamedNumbers& all) {
    return all.empty()
               ? std::string()
               : std::ranges::max_element(all, {}, &NamedNumbers::value_type::second)->first;
  };
  const auto at_least = [&](double seconds) { return std::max(Seconds(seconds), least); };
  return CallTime{at_least(reachable),           most(by_pipe), at_least(time), at_least(low),
                  at_least(time * usual_spread), most(by_limit)};
}

}  // namespace rooftune::roofline
