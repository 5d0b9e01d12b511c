#include "cli/anchors.h"

#include <fmt/format.h>

#include "core/error.h"
#include "os/interruption.h"
#include "probe/probe.h"
#include "roofline/roofline.h"

namespace rooftune {
namespace {

std::vector<Ceiling> readings(const Json& json, const std::string& where) {
  std::vector<Ceiling> result;
  for (const Json& one : json) {
    Ceiling ceiling;
    Faults faults;
    ObjectReader reader(one, where, faults);
    ceiling.name = reader.text("name");
    ceiling.level = reader.text("level", "");
    ceiling.precision = reader.text("precision", "");
    ceiling.kind = ceiling.level.empty() ? Ceiling::Kind::in_core : Ceiling::Kind::bandwidth;
    ceiling.stable = reader.truth("stable", true);
    ceiling.rate.value = reader.real("rate");
    ceiling.rate.low = reader.real("low");
    ceiling.rate.high = reader.real("high");
    faults.raise();
    result.push_back(std::move(ceiling));
  }
  return result;
}

Json plain_json(const std::vector<Ceiling>& ceilings) {
  Json json = Json::array();
  for (const Ceiling& ceiling : ceilings)
    json.push_back({{"name", ceiling.name},
                    {"level", ceiling.level},
                    {"precision", ceiling.precision},
                    {"stable", ceiling.stable},
                    {"rate", ceiling.rate.value},
                    {"low", ceiling.rate.low},
                    {"high", ceiling.rate.high}});
  return json;
}

}  // namespace

std::vector<Ceiling> read_anchors(const Machine& machine, bool wanted) {
  if (!wanted || machine.kind != "cpu") return {};
  try {
    return remeasure(machine, anchors(machine), interrupted);
  } catch (const Error& error) {
    // An architecture without micro-kernels has a file written by hand, and no anchors.
    if (error.code() == ExitCode::unavailable) return {};
    throw;
  }
}

bool worth_anchors(const std::optional<std::uint64_t>& evaluations,
                   const std::optional<double>& seconds) {
  constexpr std::uint64_t least_evaluations = 16;
  constexpr double least_seconds = 20;
  if (evaluations && *evaluations < least_evaluations) return false;
  return !seconds || *seconds >= least_seconds;
}

Json to_json(const AnchorReadings& readings) {
  return {{"start", plain_json(readings.start)}, {"end", plain_json(readings.end)}};
}

AnchorReadings anchors_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  const Json &start = reader.member("start"), &end = reader.member("end");
  faults.raise();
  return {readings(start, where + "/start"), readings(end, where + "/end")};
}

std::string why_no_pruning(const Machine& machine, const std::vector<Ceiling>& now) {
  for (const Ceiling& anchor : now)
    for (const Ceiling& file : machine.ceilings) {
      if (file.name != anchor.name) continue;
      const double ratio = anchor.rate.value / file.rate.value;
      if (ratio > 1 + rate_margin / 3)
        return fmt::format("{} is {:.1f} % faster than in the machine file", anchor.name,
                           100 * (ratio - 1));
    }
  return {};
}

}  // namespace rooftune
