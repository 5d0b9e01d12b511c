// Figures as they stand in records, results and reports; their unit is the member's.
#pragma once
#include <optional>

#include "core/estimate.h"
#include "core/fields.h"

namespace rooftune::core {

/// {"value", "low", "high"}
inline Json estimate_json(const Estimate& estimate) { return encode(estimate); }
/// The same, null where nothing is known.
inline Json estimate_or_null(const std::optional<Estimate>& estimate) { return encode(estimate); }
inline Json number_or_null(const std::optional<double>& number) { return encode(number); }

}  // namespace rooftune::core
