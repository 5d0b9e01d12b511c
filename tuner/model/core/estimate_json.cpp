#include "core/estimate_json.h"

namespace rooftune::core {

Json estimate_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Json estimate_or_null(const std::optional<Estimate>& estimate) {
  return estimate ? estimate_json(*estimate) : Json();
}

Json number_or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json source_json(const Source& source) {
  Json json{{"kind", to_text(source.kind)}, {"text", source.text}};
  if (!source.date.empty()) json["date"] = source.date;
  return json;
}

}  // namespace rooftune::core
