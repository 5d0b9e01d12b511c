#include "study/core_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trial/statistics.h"

namespace rooftune::study {
namespace {

/// Below this share of the probed clock of its core the tuner's other figures are wrong by as much.
constexpr double least_share = 0.95;

}  // namespace

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

std::string clock_drop(const Environment& environment, const Machine& machine) {
  // The tuner's own core only feeds a GPU.
  if (machine.is_gpu()) return {};
  const auto probed = probed_clock(machine);
  std::optional<double> slower;
  for (const auto& clock : environment.clock)
    if (clock) slower = slower ? std::min(*slower, *clock) : *clock;
  if (!probed || !slower || *slower >= least_share * *probed) return {};
  return fmt::format(
      "the core's clock was {:.2f} GHz, {:.0f} % below the {:.2f} GHz of the probe (measured: a "
      "chain of dependent additions on the tuner's own core)",
      1e-9 * *slower, 100 * (1 - *slower / *probed), 1e-9 * *probed);
}

std::vector<std::string> clock_notes(const StudyRecord& study, const Machine& machine) {
  std::vector<std::string> notes;
  if (study.environment)
    if (const std::string drop = clock_drop(*study.environment, machine); !drop.empty())
      notes.push_back("before or after the run " + drop);
  const auto slow =
      std::count_if(study.trial_environments.begin(), study.trial_environments.end(),
                    [&](const auto& entry) { return !clock_drop(entry.second, machine).empty(); });
  if (slow > 0)
    notes.push_back(
        fmt::format("around {} of {} trials the core's clock was more than {:.0f} % "
                    "below that of the probe (tune explain TRIAL says by how much)",
                    slow, study.trial_environments.size(), 100 * (1 - least_share)));
  return notes;
}

}  // namespace rooftune::study
