// Self-contained HTML pages: no external resource, readable without scripts, light, dark and
// printed.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "report/markup.h"
#include "study/result.h"

namespace rooftune::report {

/// A study's page: headline, staircase, its pictures, all trials, knobs, evidence and provenance.
std::string study_page(const StudyResult& result, const std::string& best_source_difference = {});
/// A study's picture for documents and papers, under its headline: waterfall and roofline; without
/// a staircase and a known bound the convergence.
std::string study_svg(const StudyResult& result);

/// Trials that another tuner recorded. result: knobs without defaults, trials without intervals,
/// and the fastest as the best; neither bound nor baseline.
struct RecordedTrials {
  std::string file, headline;
  TextPairs facts;  ///< names and texts below the headline
  StudyResult result;
};
/// The fastest, knobs, times and all trials. `date`: when the page was made, empty to leave it out.
std::string recorded_page(const RecordedTrials& recorded, const std::string& date);

}  // namespace rooftune::report
