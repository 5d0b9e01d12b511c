// What holds code back that is at no roof, by its counts.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "roofline/counts.h"

namespace rooftune::roofline {
namespace {

/// A part of the time worth a word.
constexpr double noticeable_part = 0.2;
constexpr double line_bytes = 64;
/// Instructions in a cycle: below, they wait; above, they themselves take the time. Cores of today
/// issue 4 to 8, none more than 12.
constexpr double waiting = 1.5, crowded = 2.5, impossible = 12;
/// With fewer lines from outside of L1 for each instruction, memory is not what they wait for.
constexpr double few_lines = 0.01;

struct Details {
  const Counts& counts;
  std::optional<double> operator()(const char* name) const {
    const auto found = counts.details.find(name);
    return found == counts.details.end() ? std::nullopt : std::optional(found->second.value);
  }
};

/// Time of one dependent load from a level [s]; nullopt where no such walk was measured.
std::optional<double> latency(const Machine& machine, const std::string& level) {
  std::optional<double> least;
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.kind != Ceiling::Kind::latency || ceiling.level != level) continue;
    const double one = line_bytes * ceiling.threads / ceiling.rate.value;
    least = std::min(least.value_or(one), one);
  }
  return least;
}

/// Loads that no prefetcher foresees, one after the other on each thread. Of those that jump, at
/// most as many miss a cache as lines come from outside of it; the rest are found inside.
std::optional<Bottleneck> waits(const Details& details, const Machine& machine, double seconds,
                                double threads) {
  const auto jumps = details(scattered_loads);
  if (!jumps) return std::nullopt;
  double left = *jumps, time = 0, loads = 0;
  for (auto level = machine.levels.rbegin(); level + 1 < machine.levels.rend(); ++level) {
    const auto counted = details.counts.traffic.find(level->name);
    const auto each = latency(machine, level->name);
    if (counted == details.counts.traffic.end() || !each) continue;
    const double missed = std::min(left, counted->second.read.value / line_bytes);
    left -= missed;
    loads += missed;
    time += missed * *each;
  }
  if (!(loads > 0)) return std::nullopt;
  return Bottleneck{Bottleneck::Kind::latency, time / threads / seconds, loads, time / loads};
}

/// The lowest and the highest clock seen beside operations [Hz]; 0 where none was.
std::pair<double, double> clocks(const Machine& machine) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Ceiling& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.clock > 0) {
      low = std::min(low, ceiling.clock);
      high = std::max(high, ceiling.clock);
    }
  return {high > 0 ? low : 0, high};
}

/// Lines from outside of L1; nullopt where they were not counted.
std::optional<double> lines_missed(const Counts& counts, const Machine& machine) {
  if (machine.levels.size() < 2) return std::nullopt;
  const auto outside = counts.traffic.find(machine.levels[1].name);
  if (outside == counts.traffic.end()) return std::nullopt;
  return outside->second.read.value / line_bytes;
}

/// By how many instructions pass in a cycle, each time with the clock and the end of the time that
/// speak against it.
std::optional<Bottleneck> pace(double instructions, const Machine& machine, const Estimate& seconds,
                               bool explained) {
  const auto [low, high] = clocks(machine);
  if (!(high > 0) || !(instructions > 0)) return std::nullopt;
  const double least = instructions / (seconds.high * high),
               most = instructions / (seconds.low * low);
  if (most < waiting && !explained) return Bottleneck{Bottleneck::Kind::dependency, 0, most, 0};
  if (least > crowded && least < impossible)
    return Bottleneck{Bottleneck::Kind::instructions, 0, least, 0};
  return std::nullopt;
}

}  // namespace

std::vector<Bottleneck> bottlenecks(const Counts& counts, const Machine& machine,
                                    const Estimate& seconds) {
  std::vector<Bottleneck> all;
  const Details details{counts};
  const double threads = details(counted_threads).value_or(0);
  if (machine.is_gpu() || !(seconds.value > 0) || threads < 1) return all;
  const double slowest = seconds.high / seconds.value;
  const auto add = [&](const std::optional<Bottleneck>& found) {
    if (found && found->part >= noticeable_part * slowest) all.push_back(*found);
  };
  const auto regions = details(parallel_regions), empty = details(empty_region);
  if (regions && empty)
    add(Bottleneck{Bottleneck::Kind::regions, *regions * *empty / seconds.value, *regions, *empty});
  const auto instructions = details(instructions_detail), busiest = details(busiest_thread);
  if (instructions && busiest && *busiest > 0) {
    const double over = *busiest * threads / *instructions;
    if (1 - 1 / over >= noticeable_part)
      all.push_back({Bottleneck::Kind::imbalance, 1 - 1 / over, over, 0});
  }
  add(waits(details, machine, seconds.value, threads));
  std::ranges::stable_sort(all, std::greater(), &Bottleneck::part);
  const auto missed = lines_missed(counts, machine);
  const bool explained = !missed || *missed > few_lines * instructions.value_or(0) ||
                         std::ranges::any_of(all, [](const auto& one) {
                           return one.kind != Bottleneck::Kind::imbalance;
                         });
  const double on_busiest = busiest.value_or(instructions.value_or(0) / threads);
  if (const auto found = pace(on_busiest, machine, seconds, explained)) all.push_back(*found);
  return all;
}

}  // namespace rooftune::roofline
