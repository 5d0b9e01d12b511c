#include "roofline/drift.h"

#include <fmt/format.h>

#include <algorithm>

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
  return drift.kind == ceiling.kind && drift.subject == subject_of(ceiling) &&
         drift.threads == ceiling.threads;
}

std::vector<Drift> drift(const Machine& machine, const AnchorReadings& readings) {
  std::vector<Drift> result;
  for (const Ceiling& start : readings.start) {
    const Ceiling* file = ceiling_named(machine.ceilings, start.name);
    if (!file) continue;
    Drift one{file->name, file->kind, subject_of(*file), file->threads, 1, 1, {}};
    one.sentence = file->name + ": " + rate_text(*file) + " in the machine file";
    bool first = true;
    const auto add = [&](const Ceiling& reading, const char* when) {
      const double factor = reading.rate.value / file->rate.value;
      one.low = first ? factor : std::min(one.low, factor);
      one.high = first ? factor : std::max(one.high, factor);
      first = false;
      one.sentence +=
          fmt::format(", {} ({:+.1f} %) {}", rate_text(reading), 100 * (factor - 1), when);
    };
    add(start, "at the start");
    if (const Ceiling* end = ceiling_named(readings.end, start.name)) add(*end, "at the end");
    if (const Ceiling* between = ceiling_named(readings.between, start.name)) {
      one.low = std::min(one.low, between->rate.low / file->rate.value);
      one.high = std::max(one.high, between->rate.high / file->rate.value);
      one.sentence += ", " + range_text(*file, between->rate) + " between trials";
    }
    result.push_back(std::move(one));
  }
  return result;
}

Machine as_seen(const Machine& machine, const std::vector<Drift>& drifts) {
  Machine result = machine;
  for (Ceiling& ceiling : result.ceilings)
    for (const Drift& drift : drifts) {
      if (!covers(drift, ceiling)) continue;
      const double raised = std::max(1.0, drift.high);
      ceiling.rate.low = std::min(ceiling.rate.low, ceiling.rate.value * drift.low);
      ceiling.rate.value *= raised;
      ceiling.rate.high *= raised;
      if (raised > 1)
        ceiling.source.text += fmt::format("; {:.1f} % faster during the study, as \"{}\" was",
                                           100 * (raised - 1), drift.ceiling);
    }
  return result;
}

}  // namespace rooftune::roofline
