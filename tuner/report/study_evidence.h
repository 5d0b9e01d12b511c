// What stands behind the answer on a study's page: tables that a click opens.
#pragma once
#include "report/html.h"
#include "study/result.h"

namespace rooftune::inline report {

/// Best, ties and baseline with time, speed, gap and its factors.
void contenders_table(Markup& page, const StudyResult& report);
/// All folds, in the order in which a reader doubts: bound, counts, ledger, ablation, experiments,
/// paths, knobs, provenance, ceilings.
void evidence(Markup& page, const StudyResult& report);

}  // namespace rooftune::inline report
