// Value of each changed knob of the best, and interaction of the changes: for the terminal, the
// page and JSON.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "report/markup.h"
#include "report/terminal.h"
#include "study/result.h"

namespace rooftune::report {

/// Empty without an ablation.
std::string ablation_text(const StudyResult& report, const TerminalStyle& style);
void ablation_section(Markup& page, const StudyResult& report);
/// null without an ablation.
Json ablation_json(const StudyResult& report);

/// "The single factors multiply to 2.10x, all changes together give 2.38x: ..."; why it is not
/// known where it is not.
std::string interaction_sentence(const StudyResult& report);
/// Challengers raced because a winner turned out faster without one of its knobs, and the result:
/// one sentence each.
std::vector<std::string> promotion_sentences(const StudyResult& report);
Json promotions_json(const StudyResult& report);
/// How the knobs of a broken entry are known: "by format: csr -> bcsr (10.4 ms without it)".
std::string broken_by(const LedgerEntry& entry);

}  // namespace rooftune::report
