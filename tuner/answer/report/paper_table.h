// Baseline, best and ties of a study, or several studies, as a table for a paper.
#pragma once
#include <string>
#include <vector>

#include "report/comparison.h"

namespace rooftune::report {

enum class TableForm { markdown, latex };

/// A row for baseline, best and each tie: time per call with its interval, speed, gap and factors.
std::string paper_table(const StudyResult& study, TableForm form);
/// A row for each study: best, bound, efficiency, speed-up, loss by the common configuration.
std::string paper_table(const std::vector<StudyResult>& studies, const Comparison& comparison,
                        TableForm form);

}  // namespace rooftune::report
