// Figures of one configuration that cannot all be right, in words: both figures, who says so, and
// what probably is wrong. Nothing is changed for it, so that every sentence must reach the reader.
#pragma once
#include <string>
#include <vector>

#include "roofline/roofline.h"

namespace rooftune::roofline {

/// Where a call was faster than the counted work and traffic allow at the measured ceilings, beyond
/// the intervals of time, counts and ceilings: the rate factor of its gap is below 1. One sentence
/// for each level and precision.
std::vector<std::string> faster_than_counted(const Roofline& roofline, const Estimate& seconds,
                                             const Counts& counts);

/// Where counts contradict what the kernel declares: less work or traffic than the least that any
/// variant needs, beyond `tolerance` (a ratio). One sentence for each; the bound is then no bound.
std::vector<std::string> below_least(const Roofline& roofline, const Counts& counts,
                                     double tolerance);

/// All that contradicts itself, the machine, the kernel's declaration or another provider.
/// `counted`: of each provider, the first is held against the others.
std::vector<std::string> contradictions(const Roofline& roofline, const Estimate& seconds,
                                        const std::vector<Counts>& counted);

}  // namespace rooftune::roofline
