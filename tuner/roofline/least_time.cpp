// A time that no variant under a restriction beats, safe enough to leave variants out for it.
//
// The bound is an estimate: it may be a few percent too high, and a variant that beats it is
// reported. Here the same mistake would silently lose the best variant, so every figure errs to
// the fast side: the high end of a rate, and 15 % more, since clocks and neighbours change; caches
// of all cores, full of the right data in every pass; no level whose data might fit a cache that
// the probe misjudged; no ceiling that was not reproduced; no interpolation between mixes of loads
// and stores, which a memory that reads and writes at once may beat.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "roofline/rates.h"
#include "roofline/roofline.h"

namespace rooftune::inline roofline {
namespace {

/// Bytes that all caches inside a level hold together, whichever of effective and reported is more.
double inner_bytes(const Machine& machine, const std::string& level) {
  double bytes = 0;
  for (const MemoryLevel& inner : machine.levels) {
    if (inner.name == level) break;
    const double one = std::max(inner.capacity.value_or(0), inner.reported.value_or(0));
    if (one == 0) return HUGE_VAL;
    bytes += one * std::max(inner.instances, 1);
  }
  return bytes;
}

bool unstable(const Machine& machine, Ceiling::Kind kind, const std::string& subject, int threads) {
  return std::any_of(machine.ceilings.begin(), machine.ceilings.end(), [&](const Ceiling& c) {
    const std::string& of = kind == Ceiling::Kind::in_core ? c.precision : c.level;
    return c.kind == kind && of == subject && !c.stable && !c.remote && c.threads >= threads;
  });
}

/// Whether a rate of exactly so many threads was measured: one of more threads would prove less,
/// but one of fewer would prove too much.
bool measured_with(const std::vector<const Ceiling*>& ceilings, int threads) {
  return std::any_of(ceilings.begin(), ceilings.end(),
                     [&](const Ceiling* ceiling) { return ceiling->threads >= threads; });
}

/// Reads and writes of several passes over the data: each finds at most the caches' contents, the
/// first one only when the data is warm.
LevelTraffic beyond(const Traffic& traffic, Bytes read, Bytes write, double cached) {
  const double once = (traffic.read + traffic.write).value();
  const double passes = once > 0 ? std::ceil((read + write).value() / once - 1e-9) : 1;
  const double saved = cached * (std::max(passes, 1.0) - (traffic.warm ? 0 : 1));
  return {std::max(Bytes(0), read - Bytes(saved)), std::max(Bytes(0), write - Bytes(saved))};
}

class Prover {
 public:
  Prover(const Roofline& roofline, const Restriction& restriction)
      : work_(roofline.work),
        traffic_(roofline.traffic),
        machine_(roofline.machine),
        restriction_(restriction) {}

  std::optional<LeastTime> slowest() {
    for (const auto& [precision, flops] : work_.least) add_work(precision, flops);
    for (const MemoryLevel& level : machine_.levels) {
      add_traffic(level.name, traffic_.read, traffic_.write, "least", traffic_.in_place());
      for (const Wall& wall : traffic_.walls)
        if (restriction_.walls.count(wall.name) != 0 && outermost(wall) == level.name)
          add_traffic(level.name, wall.read, wall.write, "\"" + wall.name + "\"", true);
    }
    return slowest_;
  }

 private:
  std::string outermost(const Wall& wall) const {
    return wall.level.empty() && !machine_.levels.empty() ? machine_.levels.back().name
                                                          : wall.level;
  }

  void add_work(const std::string& precision, Flops flops) {
    if (!(flops.value() > 0) ||
        unstable(machine_, Ceiling::Kind::in_core, precision, restriction_.threads))
      return;
    const auto usable = in_core_ceilings(machine_, precision, restriction_.threads);
    if (!measured_with(usable, restriction_.threads)) return;
    if (const Ceiling* peak = fastest(usable))
      add(time_of(flops.value(), *peak),
          fmt::format("{} work of {:.4g} flop", precision, flops.value()));
  }

  void add_traffic(const std::string& level, Bytes read, Bytes write, const std::string& whose,
                   bool in_place) {
    const double cached = inner_bytes(machine_, level);
    if (traffic_.footprint.value() < clear_of_caches * cached ||
        unstable(machine_, Ceiling::Kind::bandwidth, level, restriction_.threads))
      return;
    const auto usable = bandwidth_ceilings(machine_, level, restriction_.threads);
    if (!measured_with(usable, restriction_.threads)) return;
    const LevelTraffic moved = beyond(traffic_, read, write, cached);
    if (const auto time = certain_stream_time(streams(usable, in_place), moved))
      add(*time, fmt::format("{} traffic of {} ({})", level, to_text(moved.total()), whose));
  }

  void add(const CeilingTime& time, const std::string& what) {
    const Seconds least(time.low.value() / (1 + rate_margin));
    if (slowest_ && !(slowest_->time < least)) return;
    slowest_ = LeastTime{
        least, fmt::format("{} with at most {} thread{} at \"{}\", taken {:.0f} % faster than "
                           "measured",
                           what, restriction_.threads, restriction_.threads == 1 ? "" : "s",
                           time.ceiling, 100 * rate_margin)};
  }

  const Work& work_;
  const Traffic& traffic_;
  const Machine& machine_;
  const Restriction& restriction_;
  std::optional<LeastTime> slowest_;
};

}  // namespace

std::optional<LeastTime> Roofline::least_time(const Restriction& restriction) const {
  return Prover(*this, restriction).slowest();
}

}  // namespace rooftune::inline roofline
