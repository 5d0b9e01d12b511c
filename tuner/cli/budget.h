// When a search ends, from the command line: limits, and certainty enough.
#pragma once
#include <optional>
#include <string>

#include "cli/options.h"
#include "session.h"

namespace rooftune {

/// --budget: limits between commas; digits are evaluations, device=5min is time on the device,
/// anything else wall time. Throws Error.
Budget parse_budget(const std::string& text);
/// --until-within and --confidence; nullopt when not asked for. Throws Error, also where none of
/// the strategies has a model.
std::optional<Certainty> parse_certainty(const std::string& until_within,
                                         const std::string& confidence,
                                         const std::vector<std::string>& strategies);
std::optional<Certainty> parse_certainty(const TuneOptions& options);

}  // namespace rooftune
