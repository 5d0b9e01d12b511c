// Results of experiments on walls of traffic: one row per contender and wall, for the terminal, the
// page, JSON and `tune explain`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "report/section.h"

namespace rooftune::report {

/// nullopt where nothing was measured; JSON and `tune explain` say why.
std::optional<Section> experiments_section(const StudyResult& report);
/// One object per contender and wall; null without any.
Json experiments_json(const StudyResult& report);
/// "wall write allocate (best): broken, 1.44x [1.41, 1.46], by experiment: nt_store = true instead
/// of false; ..."; of one subject ("best", "baseline") or of both.
std::vector<std::string> wall_sentences(const StudyResult& report, const std::string& subject = {});

}  // namespace rooftune::report
