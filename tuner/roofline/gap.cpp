#include "roofline/gap.h"

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

/// The least work scaled to the flops that were executed; nullopt when there is none to scale.
std::optional<Work> executed(const Work& work, double flops) {
  double least = 0;
  for (const auto& [precision, count] : work.least) least += count.value();
  if (least > 0) {
    Work result = work;
    for (auto& [precision, count] : result.least) count = count * (flops / least);
    return result;
  }
  return flops > 0 ? std::nullopt : std::optional(work);
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

std::vector<std::string> uncounted(const Counted& counted, const Bound& bound,
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
void split(Gap& gap, const Counted& counted, const Bound& bound, const Work& work,
           const Levels& least, const Model& model) {
  std::vector<std::string> reasons = uncounted(counted, bound, model.machine);
  const bool traffic_known = reasons.empty();
  Work done = work;
  double with_work = bound.time.value();
  if (!counted.flops) {
    reasons.push_back("executed flops were not counted");
  } else if (const auto scaled = executed(work, *counted.flops)) {
    done = *scaled;
    with_work = model.slowest(done, least);
    gap.work = with_work / bound.time.value();
  } else {
    reasons.push_back("the kernel declares no flops to hold the executed ones against");
  }
  if (traffic_known) {
    Levels moved = least;
    for (const auto& [level, traffic] : counted.traffic) moved[level] = traffic;
    gap.traffic = model.slowest(done, moved) / with_work;
  }
  if (gap.work && gap.traffic) gap.rate = gap.total.value / (*gap.work * *gap.traffic);
  for (const auto& reason : reasons)
    gap.unknown_because += (gap.unknown_because.empty() ? "" : "; ") + reason;
}

}  // namespace

Gap gap(const Estimate& seconds, const Bound& bound, const Work& work, const Traffic& traffic,
        const Machine& machine, int threads, const std::optional<Counted>& counted,
        const std::string& no_counter_reason) {
  Gap result;
  result.total = {seconds.value / bound.time.value(), seconds.low / bound.high.value(),
                  seconds.high / bound.low.value()};
  result.above_roof = result.total.high < 1;
  if (counted)
    split(result, *counted, bound, work, least_traffic(traffic, machine, threads),
          {machine, traffic.in_place(), threads});
  else
    result.unknown_because = no_counter_reason;
  return result;
}

}  // namespace rooftune
