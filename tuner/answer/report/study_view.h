// A study as data for the scripts of pages.
#pragma once
#include <string>

#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// Data of a study for the scripts of pages: {"result": the result's JSON (docs/records.md),
/// "knobs", "trials", "commands"}. Trials lie in columns, a value by
/// its place in `knobs[].values`, text by its place in "details", and figures have six digits, so
/// ten thousand of them stay below five megabytes; their samples are there as far as they fit,
/// disturbed ones with a minus sign.
Json study_view(const StudyResult& result);

}  // namespace rooftune::report
