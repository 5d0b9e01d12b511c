// Data of a study for the scripts of pages: the chart, the knobs and every trial, as one JSON
// object.
#pragma once
#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// {"result": the result's JSON (docs/records.md), "chart": the roofline_view, "knobs", "trials",
/// "commands"}. Trials lie in columns, a value by its place in `knobs[].values`, text by its place
/// in "details", and figures have six digits, so ten thousand of them stay below five megabytes;
/// their samples are there as far as they fit, disturbed ones with a minus sign.
Json study_view(const StudyResult& report);
/// The "chart" of it alone: ceilings, points and walls, in `unit`/s over `unit`/B.
Json chart_view(const StudyResult& report);
/// The object as it may stand in a <script>: no <, > or &.
std::string embedded(const Json& json);

}  // namespace rooftune::report
