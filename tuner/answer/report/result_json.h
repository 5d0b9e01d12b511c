// A study's answer as data: the document written by `tune --json FILE`.
#pragma once
#include "core/json.h"
#include "study/result.h"

namespace rooftune::report {

/// {schema: "rooftune-result-1", kernel, problem, machine, backend, bound, baseline, best, ledger,
/// stop, trials, cost, ...}; times in seconds, rates in base units. Unknown figures are null, never
/// left out. docs/records.md describes every member.
Json to_json(const StudyResult& result);
/// The binding ceiling's rate during the study: in the same rounds as the best, else as an anchor
/// for it; nullopt when it was not measured again.
std::optional<double> given_rate(const StudyResult& result, const Ceiling& ceiling);

}  // namespace rooftune::report
