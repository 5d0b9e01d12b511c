// The distance of a time from the bound, and its causes: total = work x traffic x rate.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "roofline/bound.h"
#include "roofline/counts.h"

namespace rooftune {

struct Gap {
  Estimate total;  ///< time / bound, >= 1 unless something is wrong
  std::optional<double> work, traffic, rate;
  std::string unknown_because;  ///< why a factor is absent
  std::string counted_by;       ///< the source of the factors: "instrumented: ..."; empty without
  bool above_roof = false;      ///< total.high < 1: ceiling, work model or validation is wrong
};

/// `counts`: what the call really did, nullptr when nobody counted. Its values make the factors; a
/// factor that needs a figure which was not counted stays absent, with the reason.
Gap gap(const Estimate& seconds, const Bound& bound, const Work& work, const Traffic& traffic,
        const Machine& machine, int threads, const Counts* counts,
        const std::string& no_counter_reason);

/// Where counts contradict what the kernel declares: less work or traffic than the least that any
/// variant needs, beyond `tolerance` (a ratio). One sentence for each; the bound is then no bound.
std::vector<std::string> below_least(const Counts& counts, const Work& work, const Traffic& traffic,
                                     const Machine& machine, int threads, double tolerance);

}  // namespace rooftune
