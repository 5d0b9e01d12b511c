// A study's answer: claims in the order in which users ask (how fast is it now, what limits it, how
// did it get there, what next). And the whole result as data: what `tune --json FILE` writes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "report/claim.h"
#include "study/result.h"

namespace rooftune::report {

/// The headline's claims come first: one about the gain, one about the limit where something was
/// measured.
Claims claims(const StudyResult& result);
/// The claim of this kind; nullptr without one.
const Claim* claim_of(const Claims& claims, Claim::Kind kind);
/// "spmv is 3.21x faster than your baseline [2.94, 3.58]. Memory is the limit, 98 % busy: it moves
/// 84 MB, and at least 36 MB must be moved."
std::string headline(const Claims& claims);
/// All doubts, each once.
Texts doubts(const Claims& claims);

/// {schema: "rooftune-result-2", kernel, problem, machine, backend, claims, staircase, bound,
/// baseline, best, ledger, stop, trials, cost, ...}; times in seconds, rates in base units. Unknown
/// figures are null, never left out. docs/records.md describes every member.
Json to_json(const StudyResult& result);
/// The rate that the binding ceiling gave during the study: in the same rounds as the best, else
/// from an anchor that stands for it; nullopt when it was not measured again.
std::optional<double> given_rate(const StudyResult& result, const Ceiling& ceiling);

}  // namespace rooftune::report
