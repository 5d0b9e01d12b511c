// Evidence for the answer on a study's page: tables opened by a click.
#pragma once
#include "report/html.h"
#include "study/result.h"

namespace rooftune::report {

/// Best, ties and baseline with time, speed, gap and its factors.
void contenders_table(Markup& page, const StudyResult& report);
/// The steps from the baseline to the best, as numbered in the chart; nothing without one.
void path_section(Markup& page, const StudyResult& report);
/// All folds, in the order of a reader's doubts: bound, counts, ledger, ablation, experiments,
/// published path, knobs, provenance, ceilings.
void evidence(Markup& page, const StudyResult& report);

}  // namespace rooftune::report
