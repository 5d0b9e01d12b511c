// A study as data for page scripts.
#pragma once
#include <string>

#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// A study's data for page scripts: {"result": the result's JSON (docs/records.md), "knobs",
/// "trials", "commands"}. Trials lie in columns, a value by its place in `knobs[].values`, text by
/// its place in "details", and figures have six digits, so ten thousand trials stay below five
/// megabytes; their samples are included as far as they fit, disturbed ones with a minus sign.
Json study_view(const StudyResult& result);

}  // namespace rooftune::report
