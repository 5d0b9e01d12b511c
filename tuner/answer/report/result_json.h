// A study's answer as data: the document written by `tune --json FILE`.
#pragma once
#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// {schema: "rooftune-result-1", kernel, problem, machine, backend, bound, baseline, best, ledger,
/// stop, trials, cost, ...}; times in seconds, rates in base units. Unknown figures are null, never
/// left out. docs/records.md describes every member.
Json to_json(const StudyResult& report);

}  // namespace rooftune::report
