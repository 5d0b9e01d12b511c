// A space that is read from a file says its faults with the file's name.
#pragma once
#include <functional>
#include <string>

#include "space/search_space.h"

namespace rooftune {

/// What `make` makes. What it throws about the space `name`, or a knob or constraint of it, is
/// thrown about the file `where` and that knob or constraint.
SearchSpace space_of_file(const std::string& name, const std::string& where,
                          const std::function<SearchSpace()>& make);

}  // namespace rooftune
