// The bound: least work and least traffic at the fastest ceiling of each level and precision; the
// slowest counts.
#include <algorithm>

#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

Error no_ceiling(const Machine& machine, const std::vector<std::string>& missing) {
  if (missing.empty())
    return Error("the problem has no floating-point work, and no traffic at any level",
                 "machine " + machine.name, "a bound needs work or traffic in kernel.json");
  std::string all;
  for (const auto& what : missing) all += (all.empty() ? "" : ", ") + what;
  return Error("no ceiling applies to the problem's " + all, "machine " + machine.name,
               "measure it: tune probe");
}

}  // namespace

bool Traffic::in_place() const {
  constexpr double rounding = 1e-9;
  return footprint < (read + write) * (1 - rounding);
}

double Traffic::share_read() const {
  return (read + write).value() > 0 ? read / (read + write) : 1;
}

bool Roofline::states_limit() const {
  return !work.least.empty() || (traffic.read + traffic.write).value() > 0;
}

LevelTraffic Roofline::least_traffic(const std::string& level, Bytes read, Bytes write) const {
  Movement once;
  once.read = read;
  once.write = write;
  return least_traffic(level, once, threads);
}

LevelTraffic Roofline::least_traffic(const std::string& level, const Movement& movement,
                                     int at_most) const {
  // Every pass finds the leftovers of the one before, the first pass those of the last call.
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

BoundParts Roofline::parts(const Work& done, const TrafficByLevel& moved) const {
  return parts(done, moved, threads);
}

BoundParts Roofline::parts(const Work& done, const TrafficByLevel& moved, int at_most) const {
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
    if (const auto kinds = done.operations.find(precision); kinds != done.operations.end())
      if (const auto own = operations_time(usable, kinds->second); own && own->time > time->time)
        time = own;
    keep(time, precision + " work");
  }
  for (const auto& level : machine.levels) {
    const auto found = moved.find(level.name);
    if (found == moved.end() || !(found->second.total().value() > 0)) continue;
    const auto usable =
        streams(bandwidth_ceilings(machine, level.name, at_most), traffic.in_place());
    keep(stream_time(usable, found->second), level.name + " traffic");
  }
  // At least one per call. Launches overlap with earlier work: no term beside the others, one of
  // those whose largest counts.
  if (const Ceiling* launch = machine.is_gpu() ? machine.fastest_launch() : nullptr)
    result.times.push_back(time_of(1, *launch));
  return result;
}

Bound Roofline::bound() const {
  BoundParts all = parts(work, least_traffic());
  if (all.times.empty()) throw no_ceiling(machine, all.missing);
  const auto slowest =
      std::max_element(all.times.begin(), all.times.end(),
                       [](const CeilingTime& a, const CeilingTime& b) { return a.time < b.time; });
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
  const auto kinds = work.operations.find(part.level);
  if (kinds == work.operations.end()) return std::nullopt;
  return seen_time(in_core_ceilings(machine, part.level, threads), kinds->second);
}

std::optional<CeilingTime> Roofline::time_at(const Ceiling& ceiling) const {
  double amount = 0;
  if (ceiling.kind == Ceiling::Kind::in_core) {
    const auto found = work.least.find(ceiling.precision);
    if (found != work.least.end()) amount = found->second.value();
  } else if (ceiling.kind == Ceiling::Kind::bandwidth && machine.level(ceiling.level)) {
    amount = least_traffic(ceiling.level).total().value();
  } else if (ceiling.kind == Ceiling::Kind::launch && machine.is_gpu()) {
    amount = 1;
  }
  if (!(amount > 0)) return std::nullopt;
  return time_of(amount, ceiling);
}

}  // namespace rooftune::roofline
