// Staircases for tests of pictures: made up, of any number of steps and ceilings.
#pragma once
#include <cmath>

#include "core/rng.h"
#include "support/sample_report.h"

namespace rooftune::sample {

/// A configuration with its time, and its bytes across DRAM where `bytes` > 0.
inline Stair stair(std::vector<Step::Change> changes, double seconds, double before, double bytes) {
  Stair made;
  made.changes = std::move(changes);
  made.seconds = Estimate{seconds, seconds * 0.99, seconds * 1.02};
  made.rounds = 8;
  if (before > 0)
    made.gain = Estimate{before / seconds, 0.98 * before / seconds, 1.02 * before / seconds};
  if (bytes > 0) {
    Counts counts;
    counts.traffic["DRAM"].read = Estimate::exact(0.9 * bytes);
    counts.traffic["DRAM"].write = Estimate::exact(0.1 * bytes);
    made.counts = counts;
  }
  return made;
}

inline LedgerEntry limit(LedgerEntry::Kind kind, const std::string& level,
                         const std::string& ceiling, Paradigms lacks, double seconds,
                         const std::string& wall = {}) {
  LedgerEntry made;
  made.kind = kind;
  made.level = level;
  made.ceiling = ceiling;
  made.lacks = std::move(lacks);
  made.time = made.beside = Seconds(seconds);
  made.wall = wall;
  return made;
}

/// How busy each counted stair keeps the machine.
inline void rate(Staircase& staircase, const Roofline& roofline) {
  for (Stair& one : staircase.stairs)
    if (one.counts && one.seconds) one.limit = roofline::limit(*one.counts, roofline, *one.seconds);
}

/// The sample with the bytes of all stairs but the third one counted.
inline StudyResult climbed() {
  StudyResult made = report();
  const std::vector<double> bytes{1.44e8, 1.44e8, 0, 8.8e7, 8.4e7};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    made.staircase->stairs[i].counts = stair({}, 1, 0, bytes[i]).counts;
  rate(*made.staircase, made.roofline);
  return made;
}

/// 2 to 8 stairs with times over up to three decades, some not counted, some slower than the one
/// before, and 0 to 8 limits.
inline StudyResult random_climb(std::uint64_t seed) {
  using Kind = LedgerEntry::Kind;
  StudyResult made = report();
  Rng rng(11, seed);
  const double decades = 0.02 + 3 * rng.unit(), first = 2.2e-3 * std::pow(10, decades);
  const std::size_t count = 2 + rng.below(7);
  const auto& knobs = made.space.knobs;
  Staircase staircase;
  double before = 0, bytes = 4e8;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Step::Change> changes;
    for (std::size_t k = 0; i > 0 && k < 1 + rng.below(4); ++k) {
      const Knob& knob = knobs[rng.below(knobs.size())];
      changes.push_back(change(knob.name, knob.values.front(), knob.values.back()));
    }
    const double at = static_cast<double>(i) / static_cast<double>(count - 1);
    const double seconds = first / std::pow(10, decades * at) * (0.97 + 0.06 * rng.unit());
    bytes *= 0.5 + 0.55 * rng.unit();
    staircase.stairs.push_back(
        stair(std::move(changes), seconds, before, rng.below(4) == 0 ? 0 : std::max(8e7, bytes)));
    before = seconds;
  }
  const auto& ceilings = made.roofline.machine.ceilings;
  for (std::uint64_t k = rng.below(9); k > 0; --k) {
    const Ceiling& ceiling = ceilings[rng.below(ceilings.size())];
    const std::size_t by = 1 + rng.below(count - 1);
    const double high = staircase.stairs[by - 1].seconds->value,
                 low = staircase.stairs[by].seconds->value;
    LedgerEntry entry = limit(
        rng.below(3) == 0                        ? Kind::wall
        : ceiling.kind == Ceiling::Kind::in_core ? Kind::in_core
                                                 : Kind::bandwidth,
        ceiling.kind == Ceiling::Kind::in_core ? ceiling.precision : ceiling.level, ceiling.name,
        {static_cast<Paradigm>(rng.below(12)), static_cast<Paradigm>(12 + rng.below(8))},
        low * std::pow(high / low, rng.unit()));
    if (entry.kind == Kind::wall) entry.wall = fmt::format("wall number {} of this kernel", k);
    entry.passed_by = entry.broken_by = by;
    entry.knobs = members(staircase.stairs[by].changes, &Step::Change::knob);
    staircase.stairs[by].passed.push_back(entry);
  }
  made.best->seconds = *staircase.stairs.back().seconds;
  made.baseline->seconds = *staircase.stairs.front().seconds;
  made.limit->parts.front().share = within(0.3 + 0.8 * rng.unit(), 0.03);
  rate(staircase, made.roofline);
  made.staircase = std::move(staircase);
  return made;
}

}  // namespace rooftune::sample
