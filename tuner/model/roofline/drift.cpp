#include "roofline/drift.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/list.h"
#include "core/units.h"

namespace rooftune::roofline {
namespace {

std::string rate_text(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? to_text(FlopRate(ceiling.rate.value))
                                                : to_text(ByteRate(ceiling.rate.value));
}

/// "44.1 GB/s to 61.2 GB/s"
std::string range_text(Ceiling ceiling, const Estimate& rates) {
  ceiling.rate.value = rates.low;
  const std::string slowest = rate_text(ceiling);
  ceiling.rate.value = rates.high;
  return slowest + " to " + rate_text(ceiling);
}

const std::string& subject_of(const Ceiling& ceiling) {
  return ceiling.kind == Ceiling::Kind::in_core ? ceiling.precision : ceiling.level;
}

}  // namespace

bool covers(const Drift& drift, const Ceiling& ceiling) {
  return drift.ceiling.kind == ceiling.kind && subject_of(drift.ceiling) == subject_of(ceiling) &&
         drift.ceiling.threads == ceiling.threads;
}

Drifts drift(const Machine& machine, const AnchorReadings& readings) {
  Drifts result;
  const auto add = [&](const CeilingList& list, const char* when, bool at_one_moment) {
    for (const Ceiling& reading : list) {
      const Ceiling* file = ceiling_named(machine.ceilings, reading.name);
      if (!file) continue;
      const auto seen = at_one_moment ? Estimate::exact(reading.rate.value) : reading.rate;
      const double least = seen.low / file->rate.value, most = seen.high / file->rate.value;
      const auto is_this = [&](const Drift& drift) { return drift.ceiling.name == reading.name; };
      auto one = std::ranges::find_if(result, is_this);
      if (one == result.end())
        one = result.insert(one, {*file, least, most,
                                  file->name + ": " + rate_text(*file) + " in the machine file"});
      one->low = std::min(one->low, least);
      one->high = std::max(one->high, most);
      one->sentence += at_one_moment ? fmt::format(", {} ({:+.1f} %) {}", rate_text(reading),
                                                   100 * (most - 1), when)
                                     : fmt::format(", {} {}", range_text(*file, seen), when);
    }
  };
  add(readings.start, "at the start", true);
  add(readings.end, "at the end", true);
  add(readings.between, "between trials", false);
  add(readings.beside, "beside races", false);
  return result;
}

Machine as_seen(const Machine& machine, const Drifts& drifts) {
  Machine result = machine;
  for (Ceiling& ceiling : result.ceilings) {
    double low = 1;
    const Drift* fastest = nullptr;
    for (const Drift& drift : drifts) {
      if (!covers(drift, ceiling)) continue;
      low = std::min(low, drift.low);
      if (drift.high > (fastest ? fastest->high : 1)) fastest = &drift;
    }
    ceiling.rate.low = std::min(ceiling.rate.low, ceiling.rate.value * low);
    if (!fastest) continue;
    ceiling.rate.value *= fastest->high;
    ceiling.rate.high *= fastest->high;
    ceiling.source.text += fmt::format("; {:.1f} % faster during the study, as \"{}\" was",
                                       100 * (fastest->high - 1), fastest->ceiling.name);
  }
  return result;
}

}  // namespace rooftune::roofline
