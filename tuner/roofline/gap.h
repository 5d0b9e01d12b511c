// The distance of a time from the bound, and its causes: total = work x traffic x rate.
#pragma once
#include <optional>
#include <string>

#include "roofline/bound.h"

namespace rooftune {

struct Gap {
  Estimate total;  ///< time / bound, >= 1 unless something is wrong
  std::optional<double> work, traffic, rate;
  std::string unknown_because;  ///< why a factor is absent
  bool above_roof = false;      ///< total.high < 1: ceiling, work model or validation is wrong
};

/// What was counted for one run; absent members were not counted.
struct Counted {
  std::optional<double> flops;                  ///< executed, all precisions
  std::map<std::string, LevelTraffic> traffic;  ///< per level
  Source source;
};

Gap gap(const Estimate& seconds, const Bound& bound, const Work& work, const Traffic& traffic,
        const Machine& machine, int threads, const std::optional<Counted>& counted,
        const std::string& no_counter_reason);

}  // namespace rooftune
