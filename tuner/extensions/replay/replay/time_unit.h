// Units of time as the writers of results spell them.
#pragma once
#include <optional>
#include <string>

#include "replay/module.h"

namespace rooftune::replay {

/// Seconds per unit: "ms", "milliseconds", "miliseconds", "Microseconds", "us", "ns", "s", ...
std::optional<double> time_unit(std::string word);

}  // namespace rooftune::replay
