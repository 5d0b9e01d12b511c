// An estimate as it stands in records, results and reports.
// The caller names the unit.
#pragma once
#include "core/estimate.h"
#include "core/json.h"

namespace rooftune {

/// {"value", "low", "high"}
Json estimate_json(const Estimate& estimate);

}  // namespace rooftune
