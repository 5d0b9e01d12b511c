// Self-contained HTML pages: no external resource, readable without scripts, light, dark and
// printed.
#pragma once
#include <string>

#include "study/result.h"

namespace rooftune::report {

/// Headline, charts, gap, ledger, path, all trials, knobs and provenance of a study.
std::string study_page(const StudyResult& report, const std::string& best_source_difference = {});
/// A machine's roofline and every ceiling with value, interval, source and date. `date`: when the
/// page was made, empty to leave it out.
std::string machine_page(const Machine& machine, const std::string& date);

}  // namespace rooftune::report
