// The answer of a study: claims in the order of the user's questions (how fast is it now, what
// limits it, how did it get there, what next) and the table of its steps. And all of the result as
// data: the document of `tune --json FILE`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "report/claim.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// The headline's come first: one of the gain, one of the limit where something was measured.
std::vector<Claim> claims(const StudyResult& result);
/// nullptr without one.
const Claim* claim_of(const std::vector<Claim>& claims, Claim::Kind kind);
/// "spmv is 3.21x faster than your baseline [2.94, 3.58]. Memory is the limit, 98 % busy: it moves
/// 84 MB, and at least 36 MB must be moved."
std::string headline(const std::vector<Claim>& claims);
/// All doubts, each once.
Texts doubts(const std::vector<Claim>& claims);

/// A row for each step from the baseline to the best, or of a path of the literature; without a
/// measured staircase one for the baseline and one for the best. Columns: time, speed, figures of a
/// program, gain, step, because, broke; in brief on a terminal, else with intervals and all
/// changes.
HtmlTable staircase_table(const StudyResult& result);
/// "format csr -> bcsr"; "tile, pad and 3 more"; "5 small changes": of several that gain little.
std::string step_text(const std::vector<Step::Change>& changes, const std::optional<Estimate>& gain,
                      size_t columns = 34);
/// "memory traffic 204 -> 142 MB".
std::string because_text(const Amount& amount);

/// What explains a step, as far as it fits; "partly", where all of it explains less than half of
/// the gain.
inline constexpr size_t all_columns = 10'000;
std::string because_text(const std::vector<Amount>& because, size_t columns);

/// {"steps", "limit", "more", ...} of docs/records.md.
Json staircase_json(const StudyResult& result, const std::vector<Claim>& claims);
/// {schema: "rooftune-result-2", kernel, problem, machine, backend, claims, staircase, bound,
/// baseline, best, ledger, stop, trials, cost, ...}; times in seconds, rates in base units. Unknown
/// figures are null, never left out. docs/records.md describes every member.
Json to_json(const StudyResult& result);
/// The binding ceiling's rate during the study: in the same rounds as the best, else as an anchor
/// for it; nullopt when it was not measured again.
std::optional<double> given_rate(const StudyResult& result, const Ceiling& ceiling);

}  // namespace rooftune::report
