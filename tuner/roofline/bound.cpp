#include "roofline/bound.h"

#include <algorithm>
#include <limits>

#include "roofline/rates.h"

namespace rooftune {
namespace {

/// Bytes that the caches inside a level can keep from one repetition to the next.
double inner_capacity(const Machine& machine, const std::string& level, int threads) {
  double most = 0;
  for (const auto& inner : machine.levels) {
    if (inner.name == level) return most;
    // A private cache of a core that no thread runs on keeps nothing; a GPU's threads are not the
    // host's.
    const bool limited = machine.kind == "cpu";
    const int used = limited ? std::min(inner.instances, std::max(threads, 1)) : inner.instances;
    most = std::max(most, machine.total_capacity(inner) / inner.instances * used);
  }
  throw Error("machine " + machine.name + " has no level \"" + level + "\"");
}

Bytes beyond(Bytes bytes, double capacity) {
  return std::max(Bytes(0), Bytes(bytes.value() - capacity));
}

const Ceiling* named(const Machine& machine, const std::string& name) {
  for (const auto& ceiling : machine.ceilings)
    if (ceiling.name == name) return &ceiling;
  return nullptr;
}

Error no_ceiling(const Machine& machine, const std::vector<std::string>& missing) {
  if (missing.empty())
    return Error("the problem has no floating-point work, and no traffic at any level",
                 "machine " + machine.name, "a bound needs work or traffic in kernel.json");
  std::string all;
  for (const auto& what : missing) all += (all.empty() ? "" : ", ") + what;
  return Error("no stable ceiling applies to the problem's " + all, "machine " + machine.name,
               "measure it: tune probe");
}

}  // namespace

bool Traffic::in_place() const {
  constexpr double rounding = 1e-9;
  return footprint < (read + write) * (1 - rounding);
}

LevelTraffic least_traffic(const Traffic& traffic, const Machine& machine, const std::string& level,
                           int threads) {
  const double inside = inner_capacity(machine, level, threads);
  if (!traffic.warm) return {traffic.read, traffic.write};
  return {beyond(traffic.read, inside), beyond(traffic.write, inside)};
}

LevelTraffic least_traffic(const Traffic& traffic, const Machine& machine,
                           const std::string& level) {
  return least_traffic(traffic, machine, level, std::numeric_limits<int>::max());
}

std::map<std::string, LevelTraffic> least_traffic(const Traffic& traffic, const Machine& machine,
                                                  int threads) {
  std::map<std::string, LevelTraffic> result;
  for (const auto& level : machine.levels)
    result[level.name] = least_traffic(traffic, machine, level.name, threads);
  return result;
}

Bound bound(const Work& work, const Traffic& traffic, const Machine& machine, int threads) {
  Parts all =
      parts(work, least_traffic(traffic, machine, threads), traffic.in_place(), machine, threads);
  if (all.times.empty()) throw no_ceiling(machine, all.missing);
  const auto binding =
      std::max_element(all.times.begin(), all.times.end(),
                       [](const CeilingTime& a, const CeilingTime& b) { return a.time < b.time; });
  Bound result;
  result.time = binding->time;
  result.low = binding->low;
  result.high = binding->high;
  result.ceiling = binding->ceiling;
  result.source = named(machine, binding->ceiling)->source;
  for (const auto& part : all.times) {
    result.low = std::max(result.low, part.low);
    result.high = std::max(result.high, part.high);
    if (part.ceiling != binding->ceiling && part.high >= binding->low)
      result.also.push_back(part.ceiling);
  }
  result.parts = std::move(all.times);
  result.missing = std::move(all.missing);
  return result;
}

std::optional<CeilingTime> time_at(const Ceiling& ceiling, const Work& work, const Traffic& traffic,
                                   const Machine& machine, int threads) {
  double amount = 0;
  if (ceiling.kind == Ceiling::Kind::in_core) {
    const auto found = work.least.find(ceiling.precision);
    if (found != work.least.end()) amount = found->second.value();
  } else if (ceiling.kind == Ceiling::Kind::bandwidth && machine.level(ceiling.level)) {
    amount = least_traffic(traffic, machine, ceiling.level, threads).total().value();
  }
  if (!(amount > 0)) return std::nullopt;
  return time_of(amount, ceiling);
}

std::optional<CeilingTime> time_at(const Ceiling& ceiling, const Work& work, const Traffic& traffic,
                                   const Machine& machine) {
  return time_at(ceiling, work, traffic, machine, std::numeric_limits<int>::max());
}

}  // namespace rooftune
