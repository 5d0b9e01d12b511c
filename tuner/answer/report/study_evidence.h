// The evidence for an answer: sections for terminal and page, sentences, JSON.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "report/markup.h"
#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

// Of counts.

/// A section of the evidence: counts of best and baseline beside the least of any
/// variant, with their provenance; nullopt where neither was counted.
std::optional<Section> counted_section(const StudyResult& result);
// Of several inputs.

/// "One configuration for 3 inputs: 1.83x [1.80, 1.86] faster than the baseline ..."
std::string inputs_sentence(const InputsAnswer& answer);
/// A line per input, for terminal and page.
HtmlTable inputs_table(const InputsAnswer& answer);
/// The input the rest of the report is about.
std::string shown_input_sentence(const InputsAnswer& answer);
Json to_json(const InputsAnswer& answer);

// All together.

/// Those of page and terminal: steps in full, counts, ledger.
std::vector<Section> measured_sections(const StudyResult& result);
/// How the study went and where it comes from: names and texts, some empty.
std::vector<std::pair<std::string, std::string>> course(const StudyResult& result);
/// All folds, in the order of a reader's doubts: bound, the measured ones, knobs,
/// provenance, ceilings.
void evidence(Markup& page, const StudyResult& result);

/// Of the trial with this Trial::index, by name; empty without any.
const std::map<std::string, double>& further_figures(const StudyResult& result,
                                                     std::uint64_t trial);
/// The Pareto set of metric and figures with a direction, best metric first; empty without such
/// figures.
std::vector<const Trial*> trade_offs(const StudyResult& result);
/// A row for each of them, the first few.
HtmlTable trade_offs_table(const StudyResult& result);

}  // namespace rooftune::report
