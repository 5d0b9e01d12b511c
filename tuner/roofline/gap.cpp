#include "roofline/gap.h"

#include <fmt/format.h>

#include <algorithm>

#include "roofline/rates.h"

namespace rooftune {
namespace {

using Levels = std::map<std::string, LevelTraffic>;

/// The bound of what was really done.
struct Model {
  const Machine& machine;
  bool in_place;
  int threads;
  double slowest(const Work& work, const Levels& traffic) const;
};

double Model::slowest(const Work& work, const Levels& traffic) const {
  double time = 0;
  for (const auto& part : parts(work, traffic, in_place, machine, threads).times)
    time = std::max(time, part.time.value());
  return time;
}

/// The work that was executed. Precision by precision where it was counted so, else the least work
/// scaled to all flops; nullopt where the kernel declares none to scale.
std::optional<Work> executed(const Work& work, const Counts& counts) {
  Work result = work;
  if (!counts.operations.count("fp")) {
    result.least.clear();
    for (const auto& [precision, kinds] : counts.operations)
      result.least[precision] = Flops(flops(counts, precision).value);
    return result;
  }
  double least = 0;
  for (const auto& [precision, count] : work.least) least += count.value();
  const double all = flops(counts)->value;
  if (!(least > 0)) return all > 0 ? std::nullopt : std::optional(work);
  for (auto& [precision, count] : result.least) count = count * (all / least);
  return result;
}

bool declares_work(const Work& work) {
  for (const auto& [precision, count] : work.least)
    if (count.value() > 0) return true;
  return false;
}

/// Levels whose traffic must be counted before "moves too much" can be said: those that bind, else
/// the outermost that moves data.
std::vector<std::string> decisive_levels(const Bound& bound, const Machine& machine) {
  std::vector<std::string> levels;
  std::string outermost;
  for (const auto& part : bound.parts) {
    if (!machine.level(part.level)) continue;
    outermost = part.level;
    const bool also = std::count(bound.also.begin(), bound.also.end(), part.ceiling) > 0;
    if (part.ceiling == bound.ceiling || also) levels.push_back(part.level);
  }
  if (levels.empty() && !outermost.empty()) levels.push_back(outermost);
  return levels;
}

std::vector<std::string> uncounted(const Counts& counted, const Bound& bound,
                                   const Machine& machine) {
  std::vector<std::string> reasons;
  for (const auto& level : decisive_levels(bound, machine))
    if (!counted.traffic.count(level)) reasons.push_back(level + " traffic was not counted");
  if (reasons.empty() && counted.traffic.empty()) reasons.push_back("no traffic was counted");
  return reasons;
}

/// Each factor is a quotient of successive bounds, so that the product telescopes to the total:
/// bound(executed, least) / bound, bound(executed, counted) / bound(executed, least), time / the
/// last.
void split(Gap& gap, const Counts& counts, const Bound& bound, const Work& work,
           const Levels& least, const Model& model) {
  std::vector<std::string> reasons = uncounted(counts, bound, model.machine);
  const bool traffic_known = reasons.empty();
  Work done = work;
  double with_work = bound.time.value();
  const bool some = flops(counts) && flops(counts)->value > 0;
  if (!flops(counts)) {
    reasons.push_back("executed flops were not counted");
  } else if (some && !declares_work(work)) {
    reasons.push_back("the kernel declares no flops to hold the executed ones against");
  } else if (const auto scaled = executed(work, counts)) {
    done = *scaled;
    with_work = model.slowest(done, least);
    gap.work = with_work / bound.time.value();
  }
  if (traffic_known) {
    Levels moved = least;
    for (const auto& [level, count] : counts.traffic)
      moved[level] = {Bytes(count.read.value), Bytes(count.write.value)};
    gap.traffic = model.slowest(done, moved) / with_work;
  }
  if (gap.work && gap.traffic) gap.rate = gap.total.value / (*gap.work * *gap.traffic);
  for (const auto& reason : reasons)
    gap.unknown_because += (gap.unknown_because.empty() ? "" : "; ") + reason;
}

/// A counted figure and the declared one that it must not be below.
struct Held {
  std::string what;
  double counted, least;
  const Source& source;
};

void check_least(std::vector<std::string>& found, const Held& held, double tolerance) {
  if (held.counted >= held.least * (1 - tolerance)) return;
  found.push_back(fmt::format(
      "{}: {:.6g} were counted ({}, {}), the kernel declares {:.6g} as the least: one of them is "
      "wrong, and so may be the bound",
      held.what, held.counted, to_text(held.source.kind), held.source.text, held.least));
}

}  // namespace

Gap gap(const Estimate& seconds, const Bound& bound, const Work& work, const Traffic& traffic,
        const Machine& machine, int threads, const Counts* counts,
        const std::string& no_counter_reason) {
  Gap result;
  result.total = {seconds.value / bound.time.value(), seconds.low / bound.high.value(),
                  seconds.high / bound.low.value()};
  result.above_roof = result.total.high < 1;
  if (!counts) {
    result.unknown_because = no_counter_reason;
    return result;
  }
  split(result, *counts, bound, work, least_traffic(traffic, machine, threads),
        {machine, traffic.in_place(), threads});
  result.counted_by = counts->provider;
  return result;
}

std::vector<std::string> below_least(const Counts& counts, const Work& work, const Traffic& traffic,
                                     const Machine& machine, int threads, double tolerance) {
  std::vector<std::string> found;
  double declared = 0;
  for (const auto& [precision, count] : work.least) declared += count.value();
  if (const auto all = flops(counts))
    check_least(found, {"flops", all->high, declared, counts.operations_source}, tolerance);
  for (const auto& [level, least] : least_traffic(traffic, machine, threads)) {
    const auto count = counts.traffic.find(level);
    if (count == counts.traffic.end()) continue;
    check_least(found,
                {level + " bytes", count->second.read.high + count->second.write.high,
                 least.total().value(), count->second.source},
                tolerance);
  }
  return found;
}

}  // namespace rooftune
