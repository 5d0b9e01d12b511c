// A study's tables beside its answer: counts, inputs, further figures and trade-offs.
#pragma once
#include <string>
#include <vector>

#include "core/list.h"
#include "report/markup.h"
#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

/// A section in the evidence: what best and baseline were counted to do, beside the least that any
/// variant must do, with where the counts come from; nullopt where neither was counted.
std::optional<Section> counted_section(const StudyResult& result);
/// "One configuration for 3 inputs: 1.83x [1.80, 1.86] faster than the baseline ..."
std::string inputs_sentence(const InputsAnswer& answer);
/// A line per input, for terminal and page.
HtmlTable inputs_table(const InputsAnswer& answer);
/// Says which input the rest of the report is about.
std::string shown_input_sentence(const InputsAnswer& answer);

/// The further figures of the trial with this Trial::index, by name; empty without any.
const NamedNumbers& further_figures(const StudyResult& result, uint64_t trial);
/// The Pareto set over the metric and all figures that have a direction, best metric first; empty
/// without such figures.
TrialRefs trade_offs(const StudyResult& result);
/// A row for each trial in the set, only the first few.
HtmlTable trade_offs_table(const StudyResult& result);

}  // namespace rooftune::report
