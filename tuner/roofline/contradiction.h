// Figures of one configuration that cannot all be right, in words: both figures, who says so, and
// what probably is wrong. Nothing is changed for it; the caller owes the reader every sentence.
#pragma once
#include <string>
#include <vector>

#include "roofline/bound.h"
#include "roofline/counts.h"

namespace rooftune {

/// Where a call was faster than the counted work and traffic allow at the measured ceilings, beyond
/// the intervals of time, counts and ceilings: the rate factor of its gap is below 1. One sentence
/// for each level and precision.
std::vector<std::string> faster_than_counted(const Estimate& seconds, const Counts& counts,
                                             const Work& work, const Traffic& traffic,
                                             const Machine& machine, int threads);

/// All that contradicts itself, the machine, the kernel's declaration or another provider.
/// `counted`: of each provider, the first is held against the others.
std::vector<std::string> contradictions(const Estimate& seconds, const std::vector<Counts>& counted,
                                        const Work& work, const Traffic& traffic,
                                        const Machine& machine, int threads);

}  // namespace rooftune
