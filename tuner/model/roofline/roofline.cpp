// The bound: least work and least traffic at each level's and precision's fastest ceiling, and the
// slowest counts; for all variants, and for those with at most so many threads and certainly so
// much traffic. The gap: a measured time over the bound, split into work, traffic and rate.
#include "roofline/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/list.h"
#include "core/text.h"
#include "core/units.h"
#include "roofline/rates.h"

namespace rooftune::roofline {
namespace {

Error no_ceiling(const Machine& machine, const Texts& missing) {
  if (missing.empty())
    return Error("the problem has no floating-point work, and no traffic at any level",
                 "machine " + machine.name, "a bound needs work or traffic in kernel.json");
  return Error("no ceiling applies to the problem's " + joined(missing), "machine " + machine.name,
               "measure it: tune probe");
}

/// The bound for the executed work [s].
double slowest(const Roofline& roofline, const Work& done, const TrafficByLevel& moved) {
  double time = 0;
  for (const auto& part : roofline.parts(done, moved).times)
    time = std::max(time, part.time.value());
  return time;
}

/// Adds counted kinds that have their own rates.
void add_operations(NamedNumbers& all, const std::string& kind, double count) {
  const auto& kinds = operation_kinds();
  if (kind == Counts::fma) {
    all["add"] += count;
    all["mul"] += count;
  } else if (contains(kinds, kind)) {
    all[kind] += count;
  }
}

/// The executed work. Precision by precision where it was counted so, else the least work scaled to
/// all flops; nullopt where the kernel declares none to scale.
std::optional<Work> executed(const Work& work, const Counts& counts) {
  Work result = work;
  result.operations.clear();
  if (!counts.operations.count(Counts::unknown_precision)) {
    // Integer operations are counted with addresses and loops: the least stands for them.
    std::erase_if(result.least, [](const auto& one) { return !is_of_integers(one.first); });
    for (const auto& [precision, kinds] : counts.operations) {
      result.least[precision] = Flops(flops(counts, precision).value);
      // Where the least names no kinds, the executed kinds would compare unlike prices.
      if (!work.operations.contains(precision)) continue;
      for (const auto& [kind, count] : kinds)
        add_operations(result.operations[precision], kind, count.value);
    }
    return result;
  }
  const double least = least_flops(work);
  const double all = flops(counts)->value;
  if (!(least > 0)) return all > 0 ? std::nullopt : std::optional(work);
  for (auto& [precision, count] : result.least)
    if (!is_of_integers(precision)) count = count * (all / least);
  return result;
}

/// Levels whose traffic must be counted before "moves too much" can be said: those that bind, else
/// the outermost one with traffic.
Texts decisive_levels(const Bound& bound, const Machine& machine) {
  Texts levels;
  std::string outermost;
  for (const auto& part : bound.parts) {
    if (!machine.level(part.level)) continue;
    outermost = part.level;
    const bool also = contains(bound.also, part.ceiling);
    if (part.ceiling == bound.ceiling || also) levels.push_back(part.level);
  }
  if (levels.empty() && !outermost.empty()) levels.push_back(outermost);
  return levels;
}

Texts uncounted(const Counts& counted, const Bound& bound, const Machine& machine) {
  Texts reasons;
  for (const auto& level : decisive_levels(bound, machine))
    if (!counted.traffic.count(level)) reasons.push_back(level + " traffic was not counted");
  if (reasons.empty() && counted.traffic.empty()) reasons.push_back("no traffic was counted");
  return reasons;
}

/// Each factor is a quotient of successive bounds, so the product telescopes to the total:
/// bound(executed, least) / bound, bound(executed, counted) / bound(executed, least), time / the
/// last.
void split(Gap& gap, const Counts& counts, const Bound& bound, const Roofline& roofline) {
  Texts reasons = uncounted(counts, bound, roofline.machine);
  const bool traffic_known = reasons.empty();
  const TrafficByLevel least = roofline.least_traffic();
  Work done = roofline.work;
  double with_work = bound.time.value();
  const bool some = flops(counts) && flops(counts)->value > 0;
  if (!flops(counts)) {
    reasons.push_back("executed flops were not counted");
  } else if (some && !(least_flops(roofline.work) > 0)) {
    reasons.push_back("the kernel declares no flops to hold the executed ones against");
  } else if (const auto scaled = executed(roofline.work, counts)) {
    done = *scaled;
    with_work = slowest(roofline, done, least);
    gap.work = with_work / bound.time.value();
  }
  if (traffic_known) {
    TrafficByLevel moved = least;
    for (const auto& [level, count] : counts.traffic)
      moved[level] = {Bytes(count.read.value), Bytes(count.write.value)};
    gap.traffic = slowest(roofline, done, moved) / with_work;
  }
  if (gap.work && gap.traffic) gap.rate = gap.total.value / (*gap.work * *gap.traffic);
  gap.unknown_because = joined(reasons, "; ");
}

}  // namespace

bool Roofline::states_limit() const {
  return !work.least.empty() || (traffic.read + traffic.write).value() > 0;
}

std::string Roofline::why_no_bound() const {
  return states_limit() ? machine.why_no_ceilings()
                        : "--work and --traffic, what a run does at least, would tell";
}

LevelTraffic Roofline::least_traffic(const std::string& level, Bytes read, Bytes write) const {
  Movement once;
  once.read = read;
  once.write = write;
  return least_traffic(level, once, threads);
}

LevelTraffic Roofline::least_traffic(const std::string& level, const Movement& movement,
                                     int at_most) const {
  // Every pass finds what the pass before left, the first what the last call left.
  const double between = movement.passes - 1, hits = between + (traffic.warm ? 1 : 0);
  if (!(hits > 0)) return {movement.read, movement.write};
  const double cached = between * machine.held_inside(level, at_most) +
                        (traffic.warm ? machine.kept_inside(level, at_most) : 0);
  const double read = movement.read.value(), write = movement.write.value();
  const double footprint = movement.footprint.value_or(traffic.footprint).value();
  // Only bytes both read and written have two transfers to save.
  const double twice = std::max(0.0, read + write - hits * footprint);
  const double saved = std::min(cached, read + write - twice) + std::min(cached, twice);
  LevelTraffic least;
  least.read = Bytes(std::max(0.0, read - cached));
  least.write = Bytes(std::max(0.0, write - cached));
  least.either = Bytes(std::max(0.0, read + write - saved - least.total().value()));
  return least;
}

LevelTraffic Roofline::least_traffic(const std::string& level) const {
  return least_traffic(level, traffic.read, traffic.write);
}

TrafficByLevel Roofline::least_traffic() const {
  TrafficByLevel result;
  for (const auto& level : machine.levels) result[level.name] = least_traffic(level.name);
  return result;
}

BoundParts Roofline::parts(const Work& done, const TrafficByLevel& moved,
                           std::optional<int> most) const {
  const int at_most = most.value_or(threads);
  BoundParts result;
  const auto keep = [&](const std::optional<CeilingTime>& time, const std::string& what) {
    if (time)
      result.times.push_back(*time);
    else
      result.missing.push_back(what);
  };
  for (const auto& [precision, flops] : done.least) {
    if (!(flops.value() > 0)) continue;
    const auto usable = in_core_ceilings(machine, precision, at_most);
    const Ceiling* peak = fastest(usable);
    auto time = peak ? std::optional(time_of(flops.value(), *peak)) : std::nullopt;
    if (auto* kinds = value_at(done.operations, precision))
      if (const auto own = operations_time(usable, *kinds); own && own->time > time->time)
        time = own;
    keep(time, precision + " work");
  }
  for (const auto& level : machine.levels) {
    auto* found = value_at(moved, level.name);
    if (!found || !(found->total().value() > 0)) continue;
    const auto usable =
        streams(bandwidth_ceilings(machine, level.name, at_most), traffic.in_place());
    keep(stream_time(usable, *found, machine.is_one_way(level)), level.name + " traffic");
  }
  // At least one launch per call. Launches overlap with earlier work, so their time is not added:
  // it is one more among those whose largest counts.
  if (const Ceiling* launch = machine.is_gpu() ? machine.fastest_launch() : nullptr)
    result.times.push_back(time_of(1, *launch));
  return result;
}

Bound Roofline::bound() const {
  BoundParts all = parts(work, least_traffic());
  if (all.times.empty()) throw no_ceiling(machine, all.missing);
  const auto slowest = max_element(all.times, {}, &CeilingTime::time);
  Bound result;
  result.time = slowest->time;
  result.low = slowest->low;
  result.high = slowest->high;
  result.ceiling = slowest->ceiling;
  result.source = ceiling_named(machine.ceilings, slowest->ceiling)->source;
  for (const auto& part : all.times) {
    result.low = std::max(result.low, part.low);
    result.high = std::max(result.high, part.high);
    if (part.ceiling != slowest->ceiling && part.high >= slowest->low)
      result.also.push_back(part.ceiling);
  }
  result.reached = reached(*slowest);
  result.parts = std::move(all.times);
  result.missing = std::move(all.missing);
  return result;
}

std::optional<CeilingTime> Roofline::reached(const CeilingTime& part) const {
  if (machine.level(part.level))
    return seen_time(streams(bandwidth_ceilings(machine, part.level, threads), traffic.in_place()),
                     least_traffic(part.level));
  auto* kinds = value_at(work.operations, part.level);
  if (!kinds) return std::nullopt;
  return seen_time(in_core_ceilings(machine, part.level, threads), *kinds);
}

std::optional<CeilingTime> Roofline::time_at(const Ceiling& ceiling) const {
  double amount = 0;
  if (ceiling.kind == Ceiling::Kind::in_core) {
    auto* found = value_at(work.least, ceiling.precision);
    if (found) amount = found->value();
  } else if (ceiling.kind == Ceiling::Kind::bandwidth && machine.level(ceiling.level)) {
    amount = least_traffic(ceiling.level).total().value();
  } else if (ceiling.kind == Ceiling::Kind::launch && machine.is_gpu()) {
    amount = 1;
  }
  if (!(amount > 0)) return std::nullopt;
  return time_of(amount, ceiling);
}

std::optional<RestrictedBound> Roofline::bound(const Restriction& restriction) const {
  const int at_most = restriction.threads;
  std::optional<RestrictedBound> slowest;
  const auto add = [&](const CeilingTime& time, const std::string& what) {
    if (slowest && !(slowest->time.time < time.time)) return;
    slowest = {time, fmt::format("{} with at most {} at \"{}\"", what, plural(at_most, "thread"),
                                 time.ceiling)};
  };
  Movement least;
  least.read = traffic.read;
  least.write = traffic.write;
  TrafficByLevel moved;
  for (const MemoryLevel& level : machine.levels)
    moved[level.name] = least_traffic(level.name, least, at_most);
  for (const CeilingTime& part : parts(work, moved, at_most).times) {
    const auto crossing = moved.find(part.level);
    auto* flops = value_at(work.least, part.level);
    add(part, crossing != moved.end() ? fmt::format("{} traffic of {} (least)", part.level,
                                                    decimal_text(crossing->second.total()))
              : flops ? fmt::format("{} work of {:.4g} {}", part.level, flops->value(),
                                    work_unit(part.level))
                      : "one " + part.level);
  }
  for (const Movement& movement : restriction.movements) {
    // Without its own footprint a variant may overwrite its input.
    const bool in_place = !movement.footprint || movement.passes * movement.footprint->value() <
                                                     (movement.read + movement.write).value();
    for (const MemoryLevel& level : machine.levels) {
      if (!movement.level.empty() && movement.level != level.name) continue;
      const LevelTraffic crossing = least_traffic(level.name, movement, at_most);
      auto usable = streams(bandwidth_ceilings(machine, level.name, at_most), in_place);
      if (movement.plain_stores) std::erase_if(usable, std::mem_fn(&Ceiling::non_temporal));
      if (const auto time = stream_time(usable, crossing, machine.is_one_way(level)))
        add(*time, fmt::format("{} traffic of {} ({})", level.name, decimal_text(crossing.total()),
                               movement.what));
    }
  }
  return slowest;
}

Gap Roofline::gap(const Estimate& seconds, const Counts* counts,
                  const std::string& not_counted) const {
  const Bound least = bound();
  Gap result;
  result.total = {seconds.value / least.time.value(), seconds.low / least.high.value(),
                  seconds.high / least.low.value()};
  result.above_roof = result.total.high < 1;
  if (!counts) {
    result.unknown_because = not_counted;
    return result;
  }
  split(result, *counts, least, *this);
  result.counted_by = counts->provider;
  return result;
}

}  // namespace rooftune::roofline
