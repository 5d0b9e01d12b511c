// Self-contained HTML pages: no external resource, readable without scripts, light, dark and
// printed. And their charts as SVG text: deterministic, safe to put into a page.
#pragma once
#include <string>

#include "core/json.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// Headline, charts, gap, ledger, path, all trials, knobs and provenance of a study.
std::string study_page(const StudyResult& result, const std::string& best_source_difference = {});
/// For a paper, in Markdown: the staircase with intervals, and the headline below it.
std::string paper_table(const StudyResult& study);
/// Data of a study for the scripts of pages: {"result": the result's JSON (docs/records.md),
/// "chart": the roofline_view, "knobs", "trials", "commands"}. Trials lie in columns, a value by
/// its place in `knobs[].values`, text by its place in "details", and figures have six digits, so
/// ten thousand of them stay below five megabytes; their samples are there as far as they fit,
/// disturbed ones with a minus sign.
Json study_view(const StudyResult& result);
/// The "chart" of it alone: ceilings, points and walls, in `unit`/s over `unit`/B.
Json chart_view(const StudyResult& result);
/// The object as it may stand in a <script>: no <, > or &.
std::string embedded(const Json& json);
/// Places of knobs and of the table of trials, which scripts fill, and the trials as a picture
/// below this heading.
void trials_sections(Markup& page, const StudyResult& result, const std::string& heading);
/// Trials that another tuner recorded. result: knobs without defaults, trials without intervals,
/// and the fastest as the best; neither bound nor baseline.
struct RecordedTrials {
  std::string file, headline;
  std::vector<std::pair<std::string, std::string>> facts;  ///< names and texts below the headline
  StudyResult result;
};
/// The fastest, knobs, times and all trials. `date`: when the page was made, empty to leave it out.
std::string recorded_page(const RecordedTrials& recorded, const std::string& date);
/// A machine's roofline and every ceiling with value, interval, source and date. `date`: when the
/// page was made, empty to leave it out.
std::string machine_page(const Machine& machine, const std::string& date);
/// Every ceiling with figure, interval, source, date and clock.
HtmlTable ceilings_table(const Machine& machine, bool intervals = true);

/// Log-log roofline of a study: ceilings, walls, bound, trials, baseline and best.
std::string roofline_svg(const StudyResult& result);
/// Best so far against evaluations, with the bound.
std::string convergence_svg(const StudyResult& result);
/// A machine's roofs with the whole lattice of its ceilings.
std::string machine_svg(const Machine& machine);

}  // namespace rooftune::report
