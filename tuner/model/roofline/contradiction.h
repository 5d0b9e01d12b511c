// Counted figures that cannot all be right, in words: both figures, their sources and the probable
// error. No figure is changed for it, so every sentence must reach the reader.
#pragma once
#include <vector>

#include "roofline/counts.h"
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// Where a call was faster than the counted work and traffic allow at the measured ceilings, beyond
/// all intervals (time, counts, ceilings): its gap has a rate factor below 1. One sentence for each
/// level and precision.
Texts faster_than_counted(const Roofline& roofline, const Estimate& seconds, const Counts& counts);

/// Counts that contradict the kernel's declaration: less work or traffic than any variant's least,
/// beyond `tolerance` (a ratio). One sentence for each; the bound is then no bound.
Texts below_least(const Roofline& roofline, const Counts& counts, double tolerance);

/// Counts that show what a baseline's declaration forgets: flops where it declares none, twice or
/// four times its flops (faster code may do such work twice on purpose, a baseline does not);
/// nearly twice the distinct bytes, its walls included, which no format explains. One sentence for
/// each.
Texts forgotten(const Roofline& roofline, const Estimate& seconds, const Counts& counts);

/// All that the counts contradict: each other, the machine, the kernel's declaration, another
/// provider. `counted`: each provider's; the others are compared with the first.
Texts contradictions(const Roofline& roofline, const Estimate& seconds, const CountsList& counted);

}  // namespace rooftune::roofline
