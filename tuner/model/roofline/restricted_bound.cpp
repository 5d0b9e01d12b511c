// The bound of some variants: those with at most so many threads and certainly so much traffic.
#include <fmt/format.h>

#include "core/units.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {
namespace {

class Prover {
 public:
  Prover(const Roofline& roofline, const Restriction& restriction)
      : roofline_(roofline), restriction_(restriction) {}

  std::optional<RestrictedBound> slowest() {
    Movement least;
    least.read = roofline_.traffic.read;
    least.write = roofline_.traffic.write;
    TrafficByLevel moved;
    for (const MemoryLevel& level : roofline_.machine.levels)
      moved[level.name] = roofline_.least_traffic(level.name, least, restriction_.threads);
    for (const CeilingTime& part :
         roofline_.parts(roofline_.work, moved, restriction_.threads).times)
      add(part, least_text(part.level, moved));
    for (const Movement& movement : restriction_.movements)
      for (const MemoryLevel& level : roofline_.machine.levels)
        if (movement.level.empty() || movement.level == level.name) add(movement, level.name);
    return slowest_;
  }

 private:
  std::string least_text(const std::string& level, const TrafficByLevel& moved) const {
    if (const auto crossing = moved.find(level); crossing != moved.end())
      return fmt::format("{} traffic of {} (least)", level, to_text(crossing->second.total()));
    if (const auto least = roofline_.work.least.find(level); least != roofline_.work.least.end())
      return fmt::format("{} work of {:.4g} flop", level, least->second.value());
    return "one " + level;
  }

  void add(const Movement& movement, const std::string& level) {
    const LevelTraffic moved = roofline_.least_traffic(level, movement, restriction_.threads);
    // Without its own footprint a variant may overwrite its input.
    const bool in_place = !movement.footprint || movement.passes * movement.footprint->value() <
                                                     (movement.read + movement.write).value();
    auto usable =
        streams(bandwidth_ceilings(roofline_.machine, level, restriction_.threads), in_place);
    if (movement.plain_stores)
      std::erase_if(usable, [](const Ceiling* ceiling) { return ceiling->non_temporal; });
    if (const auto time = stream_time(usable, moved))
      add(*time,
          fmt::format("{} traffic of {} ({})", level, to_text(moved.total()), movement.what));
  }

  void add(const CeilingTime& time, const std::string& what) {
    if (slowest_ && !(slowest_->time.time < time.time)) return;
    slowest_ = {time,
                fmt::format("{} with at most {} thread{} at \"{}\"", what, restriction_.threads,
                            restriction_.threads == 1 ? "" : "s", time.ceiling)};
  }

  const Roofline& roofline_;
  const Restriction& restriction_;
  std::optional<RestrictedBound> slowest_;
};

}  // namespace

std::optional<RestrictedBound> Roofline::bound(const Restriction& restriction) const {
  return Prover(*this, restriction).slowest();
}

}  // namespace rooftune::roofline
