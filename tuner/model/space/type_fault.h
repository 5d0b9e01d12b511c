// Values with which an expression meets a wrong type, or has no result, in the words of the
// evaluator.
#pragma once
#include <string>
#include <vector>

#include "space/knob.h"

namespace rooftune::space {

/// The first value-dependent type fault of an expression, found by trying values of its names;
/// empty when some thousand tries meet none.
std::string type_fault(const Expression& expression, const std::vector<Knob>& knobs,
                       const Facts& facts);

/// For each constraint without a result (division by zero, overflow) for some values of its knobs,
/// the cause and the first such values, in words. Sought among the first 10,000 combinations of
/// each constraint's knobs.
std::vector<std::string> undefined_results(const std::vector<Constraint>& constraints,
                                           const std::vector<Knob>& knobs, const Facts& facts);

}  // namespace rooftune::space
