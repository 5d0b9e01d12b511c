// Figures as they stand in records, results and reports; their unit is the member's.
#pragma once
#include <optional>

#include "core/estimate.h"
#include "core/fields.h"

namespace rooftune::core {

void fields(FieldsOf<Estimate> auto& self, auto& visit) {
  visit("value", self.value)("low", self.low)("high", self.high);
}
/// {"value", "low", "high"}
Json estimate_json(const Estimate& estimate);
/// The same, null where nothing is known.
Json estimate_or_null(const std::optional<Estimate>& estimate);
Json number_or_null(const std::optional<double>& number);
/// {"kind", "text"} and "date" where it has one.
Json source_json(const Source& source);

}  // namespace rooftune::core
