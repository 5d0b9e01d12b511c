// Which ceilings and walls lie between a baseline and a better variant, which fell, and to which
// knob.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "roofline/bound.h"

namespace rooftune {

struct LedgerEntry {
  enum class State { broken, touching, above };
  std::string name;
  std::string kind;  ///< in_core, bandwidth, wall
  State state = State::above;
  Seconds time;       ///< of the problem at this ceiling
  std::string lacks;  ///< paradigm(s) whose absence defines it: "simd", "nt_store", "compulsory"
  std::vector<std::string> knobs;  ///< "simd_width: 1 -> 8" of the step that crossed it
};
const char* to_text(LedgerEntry::State state);

/// One improvement on the way from baseline to best.
struct Step {
  Estimate seconds;
  struct Change {
    std::string knob, from, to;
    std::vector<std::string> breaks;  ///< what the knob says it can break
  };
  std::vector<Change> changes;  ///< against the step before; empty for the baseline
};

/// `path` starts with the baseline and ends with the best. Entries come slowest first; ceilings
/// that the baseline already exceeds are left out. A ceiling is broken only when the best's
/// interval is below its time and the baseline's above it; touching when the best's interval meets
/// it.
std::vector<LedgerEntry> ledger(const std::vector<Step>& path, const Work& work,
                                const Traffic& traffic, const Machine& machine, int threads);

}  // namespace rooftune
