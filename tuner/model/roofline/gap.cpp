// The gap: a measured time over the bound, split into the factors work, traffic and rate.
#include <algorithm>

#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

/// The bound of the executed work [s].
double slowest(const Roofline& roofline, const Work& done, const TrafficByLevel& moved) {
  double time = 0;
  for (const auto& part : roofline.parts(done, moved).times)
    time = std::max(time, part.time.value());
  return time;
}

/// Counted kinds with rates of their own.
void add_operations(std::map<std::string, double>& all, const std::string& kind, double count) {
  const auto& kinds = operation_kinds();
  if (kind == Counts::fma) {
    all["add"] += count;
    all["mul"] += count;
  } else if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
    all[kind] += count;
  }
}

/// The executed work. Precision by precision where it was counted so, else the least work scaled to
/// all flops; nullopt where the kernel declares none to scale.
std::optional<Work> executed(const Work& work, const Counts& counts) {
  Work result = work;
  result.operations.clear();
  if (!counts.operations.count(Counts::unknown_precision)) {
    result.least.clear();
    for (const auto& [precision, kinds] : counts.operations) {
      result.least[precision] = Flops(flops(counts, precision).value);
      // Where the least is of whatever kinds, kinds of the executed would compare unlike prices.
      if (!work.operations.contains(precision)) continue;
      for (const auto& [kind, count] : kinds)
        add_operations(result.operations[precision], kind, count.value);
    }
    return result;
  }
  const double least = least_flops(work);
  const double all = flops(counts)->value;
  if (!(least > 0)) return all > 0 ? std::nullopt : std::optional(work);
  for (auto& [precision, count] : result.least) count = count * (all / least);
  return result;
}

/// Levels whose traffic must be counted before "moves too much" can be said: those that bind, else
/// the outermost one with traffic.
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

/// Each factor is a quotient of successive bounds, so the product telescopes to the total:
/// bound(executed, least) / bound, bound(executed, counted) / bound(executed, least), time / the
/// last.
void split(Gap& gap, const Counts& counts, const Bound& bound, const Roofline& roofline) {
  std::vector<std::string> reasons = uncounted(counts, bound, roofline.machine);
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
  for (const auto& reason : reasons)
    gap.unknown_because += (gap.unknown_because.empty() ? "" : "; ") + reason;
}

}  // namespace

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
