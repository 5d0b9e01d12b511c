// Evidence for the answer on a study's page: tables opened by a click.
#pragma once
#include "core/json.h"
#include "report/section.h"
#include "study/result.h"

namespace rooftune::report {

/// Time, speed, gap and its factors, and the configuration, of one contender.
std::vector<HtmlCell> contender_row(const StudyResult& report, const std::string& name,
                                    const Contender& contender);
/// Best, ties and baseline, a row each.
HtmlTable contenders_table(const StudyResult& report);
/// The steps from the baseline to the best, as numbered in the chart; nothing without one.
void path_section(Markup& page, const StudyResult& report);
/// Those of page and terminal: counts, sample, ledger, ablation, experiments.
std::vector<Section> measured_sections(const StudyResult& report);
/// A published optimisation path as measured on this machine; nullopt without one.
std::optional<Section> staircase_section(const StudyResult& report);
/// null without one.
Json staircase_json(const StudyResult& report);
/// How the study went and where it comes from: names and texts, some empty.
std::vector<std::pair<std::string, std::string>> course(const StudyResult& report);
/// All folds, in the order of a reader's doubts: bound, the measured ones, published path, knobs,
/// provenance, ceilings.
void evidence(Markup& page, const StudyResult& report);

}  // namespace rooftune::report
