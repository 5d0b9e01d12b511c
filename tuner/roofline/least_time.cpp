// A time that no variant under a restriction beats: the bound of these variants, with a margin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::inline roofline {
namespace {

class Prover {
 public:
  Prover(const Roofline& roofline, const Restriction& restriction)
      : roofline_(roofline), restriction_(restriction) {}

  std::optional<LeastTime> slowest() {
    const Traffic& traffic = roofline_.traffic;
    TrafficByLevel moved;
    for (const MemoryLevel& level : roofline_.machine.levels)
      moved[level.name] = crossing(level.name, traffic.read, traffic.write);
    for (const CeilingTime& part :
         roofline_.parts(roofline_.work, moved, restriction_.threads).times)
      add(part, moved.contains(part.level)
                    ? fmt::format("{} traffic of {} (least)", part.level,
                                  to_text(moved.at(part.level).total()))
                    : fmt::format("{} work of {:.4g} flop", part.level,
                                  roofline_.work.least.at(part.level).value()));
    for (const Wall& wall : traffic.walls)
      if (restriction_.walls.contains(wall.name)) add_wall(wall);
    return slowest_;
  }

 private:
  /// Each pass finds at most the caches' contents.
  LevelTraffic crossing(const std::string& level, Bytes read, Bytes write) const {
    const double once = (roofline_.traffic.read + roofline_.traffic.write).value();
    const double passes = once > 0 ? std::ceil((read + write).value() / once - 1e-9) : 1;
    return roofline_.least_traffic(
        {level, read, write, restriction_.threads, std::max(passes, 1.0)});
  }

  void add_wall(const Wall& wall) {
    const Machine& machine = roofline_.machine;
    if (wall.level.empty() && machine.levels.empty()) return;
    const std::string& level = wall.level.empty() ? machine.levels.back().name : wall.level;
    const LevelTraffic moved = crossing(level, wall.read, wall.write);
    const auto usable = streams(bandwidth_ceilings(machine, level, restriction_.threads), true);
    if (const auto time = stream_time(usable, moved))
      add(*time,
          fmt::format("{} traffic of {} (\"{}\")", level, to_text(moved.total()), wall.name));
  }

  void add(const CeilingTime& time, const std::string& what) {
    const Seconds least(time.low.value() / (1 + rate_margin));
    if (slowest_ && !(slowest_->time < least)) return;
    slowest_ = LeastTime{
        least, fmt::format("{} with at most {} thread{} at \"{}\", taken {:.0f} % faster than it "
                           "ever was",
                           what, restriction_.threads, restriction_.threads == 1 ? "" : "s",
                           time.ceiling, 100 * rate_margin)};
  }

  const Roofline& roofline_;
  const Restriction& restriction_;
  std::optional<LeastTime> slowest_;
};

}  // namespace

std::optional<LeastTime> Roofline::least_time(const Restriction& restriction) const {
  return Prover(*this, restriction).slowest();
}

}  // namespace rooftune::inline roofline
