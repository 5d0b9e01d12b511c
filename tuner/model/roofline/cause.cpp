#include "roofline/cause.h"

#include <algorithm>
#include <utility>

#include "core/list.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

constexpr double line_bytes = 64;

/// How long one dependent load from a level takes [s]; nullopt where no such walk was measured.
std::optional<double> latency(const Machine& machine, const std::string& level) {
  std::optional<double> least;
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.kind != Ceiling::Kind::latency || ceiling.level != level) continue;
    const double one = line_bytes * ceiling.threads / ceiling.rate.value;
    least = std::min(least.value_or(one), one);
  }
  return least;
}

/// How long an operation takes that needs the result before it [s]; 0 where no chain was measured.
double latency(const Machine& machine, const std::string& precision, const std::string& mix) {
  double least = 0;
  for (const Ceiling& ceiling : machine.ceilings) {
    if (ceiling.kind != Ceiling::Kind::in_core || ceiling.precision != precision ||
        ceiling.mix != mix || ceiling.ilp != 1)
      continue;
    const double lanes =
        ceiling.simd_bits > 64 ? double(ceiling.simd_bits) / element_bits(precision) : 1;
    const double one = lanes * (mix == Counts::fma ? 2 : 1) * ceiling.threads / ceiling.rate.value;
    least = least > 0 ? std::min(least, one) : one;
  }
  return least;
}

/// As many dependent loads come from a level as lines were read there, the outermost first. How
/// many the outermost cache holds is uncertain, since others share it: at most all lines that
/// passed it come from memory.
double load_chain(const Counts& counts, const Machine& machine) {
  double left = detail_of(counts, dependent_loads_detail), time = 0, outside = 0;
  for (auto level = machine.levels.rbegin(); level != machine.levels.rend() && left > 0; ++level) {
    auto* counted = value_at(counts.traffic, level->name);
    const auto each = latency(machine, level->name);
    if (!counted || !each) continue;
    outside = counted->read.value / line_bytes;
    const bool memory = level == machine.levels.rbegin(),
               innermost = level + 1 == machine.levels.rend();
    if (memory && level + 2 < machine.levels.rend())
      if (auto* inner = value_at(counts.traffic, (level + 1)->name))
        outside = std::max(outside, inner->read.value / line_bytes);
    const double here = innermost ? left : std::min(left, outside);
    left -= here;
    time += here * *each;
  }
  return time;
}

/// How long all threads' chains in loops take one after the other [s], and how many operations they
/// have.
std::pair<double, double> operation_chain(const Counts& counts, const Machine& machine) {
  double time = 0, all = 0;
  for (const auto& [name, count] : counts.details) {
    if (!name.starts_with(dependent_prefix) || name == dependent_loads_detail) continue;
    const std::string what = name.substr(std::string_view(dependent_prefix).size());
    const size_t space = std::min(what.find(' '), what.size() - 1);
    const double each = latency(machine, what.substr(0, space), what.substr(space + 1));
    if (each > 0) all += count.value;
    time += count.value * each;
  }
  return {time, all};
}

}  // namespace

std::optional<Cause> longest_wait(const Counts& counts, const Machine& machine,
                                  const Estimate& seconds, double left) {
  using Wait = Cause::Kind;
  constexpr double noticeable = 0.3;
  std::optional<Cause> longest;
  const auto consider = [&](Wait kind, double share, double amount, double each) {
    // What overlaps with the busiest part costs nothing.
    const double alone = std::min(share, left);
    if (alone * seconds.value / seconds.high < noticeable) return;
    if (!longest || share > longest->share) longest = Cause{kind, share, amount, each};
  };
  const double threads = std::max(1.0, detail_of(counts, counted_threads));
  const double all = detail_of(counts, instructions_detail);
  const double over =
      all > 0 ? std::max(1.0, detail_of(counts, busiest_thread) * threads / all) : 1;
  consider(Wait::imbalance, 1 - 1 / over, over, 0);
  const double regions = detail_of(counts, parallel_regions),
               empty = detail_of(counts, empty_region);
  consider(Wait::regions, regions * empty / seconds.value, regions, empty);
  const double loads = detail_of(counts, dependent_loads_detail),
               walked = load_chain(counts, machine);
  const auto [computed, operations] = operation_chain(counts, machine);
  const double chain = (walked + computed) * over / threads / seconds.value;
  if (walked > computed)
    consider(Wait::dependent_loads, chain, loads, walked / loads);
  else if (operations > 0)
    consider(Wait::dependent_operations, chain, operations, computed / operations);
  if (longest) longest->share = std::min(longest->share, left);
  return longest;
}

}  // namespace rooftune::roofline
