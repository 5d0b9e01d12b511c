#include "cli/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "trial/statistics.h"

namespace rooftune {
namespace {

/// A core that is slower than that than the probe found it makes other figures wrong by as much.
constexpr double least_share = 0.95;

Json clock_json(const std::optional<double>& clock) {
  return clock ? Json(std::round(*clock)) : Json();
}

}  // namespace

Json surroundings(const microbench::Contention& before, const microbench::Contention& after) {
  return {{"note", microbench::contention_note(before, after)},
          {"clock", {clock_json(before.clock), clock_json(after.clock)}}};
}

std::optional<double> probed_clock(const Machine& machine) {
  std::map<int, std::vector<double>> clocks;
  for (const Ceiling& ceiling : machine.ceilings)
    if (ceiling.kind == Ceiling::Kind::in_core && ceiling.clock > 0)
      clocks[ceiling.simd_bits].push_back(ceiling.clock);
  std::optional<double> slowest;
  for (const auto& [bits, seen] : clocks) {
    const double median = quantile(seen, 0.5);
    slowest = slowest ? std::min(*slowest, median) : median;
  }
  return slowest;
}

std::string clock_drop(const Json& surroundings, const Machine& machine) {
  const auto probed = probed_clock(machine);
  if (!probed || !surroundings.is_object() || !surroundings.contains("clock")) return {};
  std::optional<double> slower;
  for (const Json& clock : surroundings.at("clock"))
    if (clock.is_number() && clock.get<double>() > 0)
      slower = slower ? std::min(*slower, clock.get<double>()) : clock.get<double>();
  if (!slower || *slower >= least_share * *probed) return {};
  return fmt::format(
      "the core's clock was {:.2f} GHz, {:.0f} % below the {:.2f} GHz of the probe (measured: a "
      "chain of dependent additions on the tuner's own core)",
      1e-9 * *slower, 100 * (1 - *slower / *probed), 1e-9 * *probed);
}

std::vector<std::string> clock_notes(const StoredStudy& study, const Machine& machine) {
  std::vector<std::string> notes;
  if (machine.kind != "cpu") return notes;
  const auto environment = study.latest.find("environment");
  if (environment != study.latest.end())
    if (const std::string drop = clock_drop(environment->second, machine); !drop.empty())
      notes.push_back("before or after the run " + drop);
  const auto slow =
      std::count_if(study.surroundings.begin(), study.surroundings.end(),
                    [&](const auto& entry) { return !clock_drop(entry.second, machine).empty(); });
  if (slow > 0)
    notes.push_back(
        fmt::format("around {} of {} trials the core's clock was more than {:.0f} % "
                    "below that of the probe (tune explain TRIAL says by how much)",
                    slow, study.surroundings.size(), 100 * (1 - least_share)));
  return notes;
}

}  // namespace rooftune
