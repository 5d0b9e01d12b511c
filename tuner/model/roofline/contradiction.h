// Counted figures of a call that cannot all be right, in words, both figures, their sources and the
// probable error. No figure is changed for it, so every sentence must reach the reader.
#pragma once
#include <vector>

#include "roofline/counts.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// Where a call was faster than the counted work and traffic allow at the measured ceilings, beyond
/// the intervals of time, counts and ceilings: the rate factor of its gap is below 1. One sentence
/// for each level and precision.
Texts faster_than_counted(const Roofline& roofline, const Estimate& seconds, const Counts& counts);

/// Counts in contradiction to the kernel's declaration: less work or traffic than the least of any
/// variant, beyond `tolerance` (a ratio). One sentence for each; the bound is then no bound.
Texts below_least(const Roofline& roofline, const Counts& counts, double tolerance);

/// Counts of a kernel whose declaration forgets work: flops where it declares none, twice or four
/// times its flops. One sentence for each.
Texts undeclared(const Roofline& roofline, const Estimate& seconds, const Counts& counts);

/// Counts of a baseline that reads or writes nearly twice the distinct bytes that the kernel
/// declares, its walls included: no variant's format explains them. One sentence for each.
Texts forgotten(const Traffic& traffic, const Counts& counts);

/// All contradictions of the counts: within themselves, to the machine, to the kernel's
/// declaration, to another provider. `counted`: of each provider; the others are compared with the
/// first.
Texts contradictions(const Roofline& roofline, const Estimate& seconds,
                     const std::vector<Counts>& counted);

}  // namespace rooftune::roofline
