// Search spaces in the community's input form T1: ConfigurationSpace with TuningParameters and
// Conditions; values and conditions are Python expressions.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "replay/module.h"
#include "space/search_space.h"

namespace rooftune::replay {

struct T1Specification {
  SearchSpace space;
  std::string kernel;    ///< KernelSpecification.KernelName, or the benchmark's name, may be empty
  std::string language;  ///< KernelSpecification.Language; other than the form's own is reported
  std::vector<std::string> deviations;  ///< differences from the published form, in words
};

/// It has a member ConfigurationSpace.
bool is_t1(const Json& json);
/// "Default" members make the baseline when every parameter has one and they are allowed together;
/// else the first allowed configuration does. Throws Error with all faults.
T1Specification t1_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::replay
