// Value of each changed knob of the best, and interaction of the changes: a section of the
// evidence, and JSON.
#pragma once
#include <optional>

#include "core/json.h"
#include "report/section.h"

namespace rooftune::report {

/// nullopt without an ablation.
std::optional<Section> ablation_section(const StudyResult& report);
/// null without an ablation.
Json ablation_json(const StudyResult& report);

/// Challengers raced because a winner turned out faster without one of its knobs, and the result:
/// one sentence each.
std::vector<std::string> promotion_sentences(const StudyResult& report);
Json promotions_json(const StudyResult& report);
/// How the knobs of a broken entry are known: "by format: csr -> bcsr (10.4 ms without it)".
std::string broken_by(const LedgerEntry& entry);

}  // namespace rooftune::report
