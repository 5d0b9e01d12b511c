// Constrained search spaces as plain data: {"name", "parameters": [{"name", "values"}],
// "constraints": ["expression"]}, the form of the field's published spaces, kept for comparison.
#pragma once
#include <string>

#include "core/json.h"
#include "replay/module.h"
#include "space/search_space.h"

namespace rooftune::replay {

/// Such files name no default: the first allowed configuration becomes it. Knobs are of kind
/// argument. Throws Error with all faults, and when no configuration is allowed.
SearchSpace community_space_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::replay
