#include "probe/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/file.h"
#include "core/units.h"
#include "core/version.h"
#include "probe/self_check.h"
#include "roofline/rates.h"

namespace rooftune::probe {
namespace {

constexpr const char* note_start = "tune probe --verify: ";

/// nullopt where the machine has no ceiling for the loop's work.
std::optional<Bound> bound_of(const Machine& machine, const LoopTime& time) {
  const Roofline roofline{time.work, time.traffic, machine, time.threads};
  if (roofline.parts(time.work, roofline.least_traffic()).times.empty()) return std::nullopt;
  return roofline.bound();
}

/// By more than the rounding of rates and times.
bool beats(const LoopTime& time, Seconds least) {
  return time.seconds < (1 - 1e-9) * least.value();
}

/// Where caches keep a part, the traffic across a level's boundary is another mix at another size.
bool same_mix(const Ceiling& one, const Ceiling& other) {
  constexpr double rounding = 1e-9;
  return one.mix == other.mix && std::abs(one.reads - other.reads) < rounding;
}

/// The loop's rate as a ceiling for `part` of its wrong bound.
Ceiling shown(Machine& machine, const LoopTime& time, const CeilingTime& part) {
  Ceiling result;
  result.name = fmt::format("verify {} {} {}t", time.loop, part.level, time.threads);
  result.mix = shown_by_loops;
  // One ceiling for more threads than all others would leave these without a say beyond them.
  result.threads = std::min(time.threads, most_threads(machine));
  result.requirements = ceiling_named(machine.ceilings, part.ceiling)->requirements;
  double amount = 0;
  if (machine.level(part.level)) {
    const LevelTraffic moved =
        Roofline{time.work, time.traffic, machine, time.threads}.least_traffic(part.level);
    amount = moved.total().value();
    result.kind = Ceiling::Kind::bandwidth;
    result.level = part.level;
    result.reads =
        moved.either.value() > 0 ? time.traffic.share_read() : moved.read.value() / amount;
    // Only reads and writes of the same lines are faster for it.
    constexpr double half = 1e-6;
    if (time.traffic.in_place() && std::abs(result.reads - 0.5) < half) result.mix = "update";
    result.working_set = time.traffic.footprint.value();
  } else {
    amount = time.work.least.at(part.level).value();
    result.kind = Ceiling::Kind::in_core;
    result.precision = part.level;
    result.simd_bits = machine.simd_bits;
  }
  result.rate = {amount / time.seconds, amount / time.third, amount / time.seconds};
  result.source = {Source::Kind::measured,
                   fmt::format("tune probe {} --verify: the plain loop {} over {} took {}, {} by "
                               "\"{}\" would have been the least",
                               version, time.loop, to_text(time.traffic.footprint),
                               to_text(Seconds(time.seconds)), to_text(part.low), part.ceiling),
                   utc_now()};
  return result;
}

/// Adds the loop's rate for every part of the bound it beats; returns the names.
std::set<std::string> repair(Machine& machine, const LoopTime& time) {
  std::set<std::string> names;
  const std::optional<Bound> bound = bound_of(machine, time);
  if (!bound) return names;
  for (const CeilingTime& part : bound->parts) {
    if (!beats(time, part.low)) continue;
    Ceiling ceiling = shown(machine, time, part);
    if (Ceiling* const there = ceiling_named(machine.ceilings, ceiling.name);
        there && !same_mix(*there, ceiling))
      ceiling.name += " " + to_text(time.traffic.footprint);
    if (Ceiling* const there = ceiling_named(machine.ceilings, ceiling.name))
      keep_faster(*there, ceiling);
    else
      machine.ceilings.push_back(ceiling);
    names.insert(ceiling.name);
  }
  return names;
}

}  // namespace

Verification verify(Machine& machine, const std::vector<LoopTime>& times) {
  Verification result;
  for (const LoopTime& time : times) {
    const std::optional<Bound> bound = bound_of(machine, time);
    if (!bound) continue;
    const bool faster = beats(time, bound->low);
    result.beating += faster ? 1 : 0;
    result.loops.push_back({time, *bound, time.seconds / bound->low.value(), faster});
  }
  std::stable_sort(result.loops.begin(), result.loops.end(),
                   [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  // A mix that was not measured is bounded by its neighbours, so a ceiling that is added for one
  // loop can lower the bound's rate for another: until no loop beats its bound.
  std::set<std::string> repaired;
  const auto left = [&] {
    return std::count_if(result.loops.begin(), result.loops.end(), [&](const VerifiedLoop& loop) {
      const std::optional<Bound> bound = bound_of(machine, loop.time);
      return bound && beats(loop.time, bound->low);
    });
  };
  for (std::size_t round = 0; round <= result.loops.size() && left() > 0; ++round)
    for (const VerifiedLoop& loop : result.loops) repaired.merge(repair(machine, loop.time));
  result.left = static_cast<int>(left());
  result.repaired.assign(repaired.begin(), repaired.end());
  std::erase_if(machine.notes,
                [](const std::string& note) { return note.starts_with(note_start); });
  machine.notes.push_back(fmt::format(
      "{}{} plain loops at several sizes, {} beat their bounds, {} ceilings were added or raised",
      note_start, result.loops.size(), result.beating, result.repaired.size()));
  return result;
}

}  // namespace rooftune::probe
