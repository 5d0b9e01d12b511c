// The bound of some variants: those with at most so many threads and certainly so much traffic.
#include <fmt/format.h>

#include "core/units.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

std::optional<RestrictedBound> Roofline::bound(const Restriction& restriction) const {
  const int at_most = restriction.threads;
  std::optional<RestrictedBound> slowest;
  const auto add = [&](const CeilingTime& time, const std::string& what) {
    if (slowest && !(slowest->time.time < time.time)) return;
    slowest = {time, fmt::format("{} with at most {} thread{} at \"{}\"", what, at_most,
                                 at_most == 1 ? "" : "s", time.ceiling)};
  };
  Movement least;
  least.read = traffic.read;
  least.write = traffic.write;
  TrafficByLevel moved;
  for (const MemoryLevel& level : machine.levels)
    moved[level.name] = least_traffic(level.name, least, at_most);
  for (const CeilingTime& part : parts(work, moved, at_most).times) {
    const auto crossing = moved.find(part.level);
    const auto flops = work.least.find(part.level);
    add(part, crossing != moved.end() ? fmt::format("{} traffic of {} (least)", part.level,
                                                    to_text(crossing->second.total()))
              : flops != work.least.end()
                  ? fmt::format("{} work of {:.4g} flop", part.level, flops->second.value())
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
      if (movement.plain_stores)
        std::erase_if(usable, [](const Ceiling* ceiling) { return ceiling->non_temporal; });
      if (const auto time = stream_time(usable, crossing))
        add(*time, fmt::format("{} traffic of {} ({})", level.name, to_text(crossing.total()),
                               movement.what));
    }
  }
  return slowest;
}

}  // namespace rooftune::roofline
