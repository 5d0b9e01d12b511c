// Units of time as the writers of results spell them.
#pragma once
#include <optional>
#include <string>

namespace rooftune::inline store {

/// Seconds per unit: "ms", "milliseconds", "miliseconds", "Microseconds", "us", "ns", "s", ...
std::optional<double> time_unit(std::string word);

}  // namespace rooftune::inline store
