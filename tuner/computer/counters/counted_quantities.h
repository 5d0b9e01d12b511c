// What hardware counted, in the words that the roofline understands.
#pragma once
#include <string>

#include "counters/hardware_count.h"
#include "roofline/counts.h"

namespace rooftune::counters {

/// Quantities by name as Counts of one call. `source` says who counted ("perf events, Intel Xeon
/// Scalable, Ice Lake-SP"). What does not fit is kept as a detail and noted: loads and stores
/// without their bytes, a level of which only the reads are known. What is missing is noted with
/// its reason; nothing is guessed in its place.
Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source);

}  // namespace rooftune::counters
