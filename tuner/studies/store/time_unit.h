// Units of time as the writers of results spell them.
#pragma once
#include <optional>
#include <string>

#include "core/modules.h"

namespace rooftune::store {

/// Seconds per unit: "ms", "milliseconds", "miliseconds", "Microseconds", "us", "ns", "s", ...
std::optional<double> time_unit(std::string word);

}  // namespace rooftune::store
