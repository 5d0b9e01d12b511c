#include "probe/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/file.h"
#include "core/units.h"
#include "core/version.h"
#include "probe/faster.h"
#include "probe/self_check.h"

namespace rooftune::inline probe {
namespace {

constexpr const char* note_start = "tune probe --verify: ";

Bound bound_of(const Machine& machine, const LoopTime& time) {
  return Roofline{time.work, time.traffic, machine, time.threads}.bound();
}

/// By more than rates and times are rounded.
bool beats(const LoopTime& time, Seconds least) {
  return time.seconds < (1 - 1e-9) * least.value();
}

const Ceiling& named(const Machine& machine, const std::string& name) {
  return *std::find_if(machine.ceilings.begin(), machine.ceilings.end(),
                       [&](const Ceiling& ceiling) { return ceiling.name == name; });
}

/// What the loop showed where `part` of its bound was wrong.
Ceiling shown(const Machine& machine, const LoopTime& time, const CeilingTime& part) {
  Ceiling result;
  result.name = fmt::format("verify {} {} {}t", time.loop, part.level, time.threads);
  result.mix = microbench::shown_by_loops;
  result.threads = time.threads;
  result.requirements = named(machine, part.ceiling).requirements;
  double amount = 0;
  if (machine.level(part.level)) {
    const LevelTraffic moved =
        Roofline{time.work, time.traffic, machine, time.threads}.least_traffic(part.level);
    amount = moved.total().value();
    result.kind = Ceiling::Kind::bandwidth;
    result.level = part.level;
    result.reads = moved.read.value() / amount;
    // Only what reads and writes the same lines is faster for it.
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
  result.stable = time.third <= 1.03 * time.seconds;
  result.source = {Source::Kind::measured,
                   fmt::format("tune probe {} --verify: the plain loop {} over {} took {}, {} by "
                               "\"{}\" would have been the least",
                               version, time.loop, to_text(time.traffic.footprint),
                               to_text(Seconds(time.seconds)), to_text(part.low), part.ceiling),
                   utc_now()};
  return result;
}

/// Adds what the loop showed of every part of the bound that it beats; returns the names.
std::vector<std::string> repair(Machine& machine, const LoopTime& time) {
  std::vector<std::string> names;
  for (const CeilingTime& part : bound_of(machine, time).parts) {
    if (!beats(time, part.low)) continue;
    const Ceiling ceiling = shown(machine, time, part);
    const auto there = std::find_if(machine.ceilings.begin(), machine.ceilings.end(),
                                    [&](const Ceiling& one) { return one.name == ceiling.name; });
    if (there == machine.ceilings.end())
      machine.ceilings.push_back(ceiling);
    else
      microbench::keep_faster(*there, ceiling);
    names.push_back(ceiling.name);
  }
  return names;
}

}  // namespace

Verification verify(Machine& machine, const std::vector<LoopTime>& times) {
  Verification result;
  for (const LoopTime& time : times) {
    VerifiedLoop loop{time, bound_of(machine, time)};
    loop.ratio = time.seconds / loop.bound.low.value();
    loop.beats = beats(time, loop.bound.low);
    result.beating += loop.beats ? 1 : 0;
    result.loops.push_back(std::move(loop));
  }
  std::stable_sort(result.loops.begin(), result.loops.end(),
                   [](const auto& a, const auto& b) { return a.ratio < b.ratio; });
  for (const VerifiedLoop& loop : result.loops)
    for (const std::string& name : repair(machine, loop.time))
      if (std::find(result.repaired.begin(), result.repaired.end(), name) == result.repaired.end())
        result.repaired.push_back(name);
  for (const LoopTime& time : times)
    result.left += beats(time, bound_of(machine, time).low) ? 1 : 0;
  std::erase_if(machine.notes,
                [](const std::string& note) { return note.starts_with(note_start); });
  machine.notes.push_back(fmt::format(
      "{}{} plain loops at several sizes, {} beat their bounds, {} ceilings were added or raised",
      note_start, times.size(), result.beating, result.repaired.size()));
  return result;
}

Json to_json(const Verification& verification) {
  Json json{{"beating", verification.beating},
            {"left", verification.left},
            {"repaired", verification.repaired},
            {"loops", Json::array()}};
  for (const VerifiedLoop& loop : verification.loops)
    json["loops"].push_back({{"loop", loop.time.loop},
                             {"level", loop.time.level},
                             {"threads", loop.time.threads},
                             {"footprint_bytes", loop.time.traffic.footprint.value()},
                             {"seconds", loop.time.seconds},
                             {"bound_seconds", loop.bound.low.value()},
                             {"ratio", loop.ratio},
                             {"ceiling", loop.bound.ceiling}});
  return json;
}

}  // namespace rooftune::inline probe
