// Which values leave a constraint without a result, so that it does not hold.
#pragma once
#include <string>
#include <vector>

#include "space/knob.h"

namespace rooftune {

/// For each constraint that has no result (division by zero, overflow) with some values of its
/// knobs, the cause and the first such values, in words. Sought among the first 10,000 combinations
/// of each constraint's knobs.
std::vector<std::string> undefined_results(const std::vector<Constraint>& constraints,
                                           const std::vector<Knob>& knobs, const Facts& facts);

}  // namespace rooftune
