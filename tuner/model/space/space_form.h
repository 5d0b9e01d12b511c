// Forms of search-space files besides Rooftune's own: a table that extensions add to.
#pragma once
#include <string>

#include "core/json.h"
#include "space/search_space.h"

namespace rooftune::space {

struct SpaceForm {
  const char* name;  ///< "T1"
  bool (*recognises)(const Json& json);
  /// Throws Error with all faults.
  SearchSpace (*read)(const Json& json, const std::string& where);
};
/// Before any thread starts.
void add_space_form(const SpaceForm& form);
/// The form of this file; nullptr for Rooftune's own.
const SpaceForm* foreign_form(const Json& json);

}  // namespace rooftune::space
