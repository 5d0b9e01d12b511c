// Hardware counts in the terms of the roofline.
#pragma once
#include <string>

#include "counters/hardware_count.h"
#include "roofline/counts.h"

namespace rooftune::counters {

/// Quantities by name as Counts of one call. `source` names the counter ("perf events, Intel Xeon
/// Scalable, Ice Lake-SP"). Quantities without a place are kept as details and noted: loads and
/// stores without their bytes, a level with reads alone. Missing ones are noted with their reasons,
/// never guessed.
Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source);

}  // namespace rooftune::counters
