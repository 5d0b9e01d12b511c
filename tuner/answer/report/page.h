// Self-contained HTML pages: no external resource, readable without scripts, light, dark and
// printed.
#pragma once
#include <string>

#include "core/json.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// Headline, staircase, its pictures, all trials, knobs, evidence and provenance of a study.
std::string study_page(const StudyResult& result, const std::string& best_source_difference = {});
/// The picture of a study for documents and papers, under its headline: waterfall and roofline;
/// without a staircase and a known bound the convergence.
std::string study_svg(const StudyResult& result);
/// For a paper, in Markdown: the staircase with intervals, and the headline below it.
std::string paper_table(const StudyResult& study);
/// Data of a study for the scripts of pages: {"result": the result's JSON (docs/records.md),
/// "knobs", "trials", "commands"}. Trials lie in columns, a value by
/// its place in `knobs[].values`, text by its place in "details", and figures have six digits, so
/// ten thousand of them stay below five megabytes; their samples are there as far as they fit,
/// disturbed ones with a minus sign.
Json study_view(const StudyResult& result);
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

}  // namespace rooftune::report
