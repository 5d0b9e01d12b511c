// The evidence for an answer: sections for terminal and page, sentences, JSON.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "report/markup.h"
#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

Json to_json(const InputsAnswer& answer);

/// The sections for page and terminal: steps in full, counts, ledger.
std::vector<Section> measured_sections(const StudyResult& result);
/// How the study went and where it comes from: names and texts, some empty.
TextPairs course(const StudyResult& result);
/// All folds, in the order in which a reader may doubt: bound, the measured sections, knobs,
/// provenance, ceilings.
void evidence(Markup& page, const StudyResult& result);

}  // namespace rooftune::report
