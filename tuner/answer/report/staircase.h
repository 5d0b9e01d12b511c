// The staircase as a table: each step's time, speed, gain, change, counted reason and broken
// ceilings, the same for terminal, page and Markdown; and as data.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "report/claim.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// A row for each step from the baseline to the best, or on a published path; without a measured
/// staircase a row for the baseline and one for the best. Columns: time, speed, a program's
/// figures, gain, step, because, broke; in brief on a terminal, else with intervals and all
/// changes.
HtmlTable staircase_table(const StudyResult& result);
/// For a paper, in Markdown: the staircase with intervals, and the headline below it.
std::string paper_table(const StudyResult& study);
/// "format csr -> bcsr"; "tile, pad and 3 more"; "5 small changes" where several gain little.
std::string step_text(const Step::Changes& changes, const std::optional<Estimate>& gain,
                      size_t columns = 34);
/// The staircase's; where none was measured baseline and best, as its ends.
Stairs stairs_of(const StudyResult& result);
/// "your baseline", "format csr -> bcsr", or as a published path calls it.
std::string stair_name(const StudyResult& result, const Stair& stair);
/// "memory traffic 204 -> 142 MB".
std::string because_text(const Amount& amount);

/// What explains a step, as far as it fits; "partly", where it all explains less than half the
/// gain. Without a width everything.
std::string because_text(const Amounts& because, std::optional<size_t> columns = {});

/// {"steps", "limit", "more", ...}, see docs/records.md.
Json staircase_json(const StudyResult& result, const Claims& claims);

}  // namespace rooftune::report
