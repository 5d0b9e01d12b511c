// The ceiling meant for a kernel out of a machine's lattice: chosen by the kernel's operations, not
// by where its time happens to lie.
#pragma once
#include "roofline/roofline.h"

namespace rooftune::roofline {

/// Of the ceilings of the kernel's own mix, one for each precision with work and each level with
/// traffic (precision, share of bytes read, in place or not, as many threads, nearest working set),
/// the one at which its least work or traffic takes longest; belongs to the variant's machine,
/// nullptr without any. Unlike the bound's it may be slower than another mix would be. `variant`:
/// with its own number of threads.
const Ceiling* applicable_ceiling(const Roofline& variant);
const Ceiling* applicable_ceiling(Roofline&&) = delete;

}  // namespace rooftune::roofline
