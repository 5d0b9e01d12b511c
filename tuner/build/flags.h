// What a configuration says to the compiler: macros and flags, nothing that a data file could
// smuggle in. The caller owes a configuration of the space.
#pragma once
#include <string>
#include <vector>

#include "space/search_space.h"

namespace rooftune {

/// -DKNOB_... of every compile knob: numbers as numbers, truths as 1 and 0, texts as enumerators
/// KNOB_<NAME>_<VALUE>. Throws Error when two of them would have one name.
std::vector<std::string> knob_macros(const SearchSpace& space, const Configuration& configuration);

/// Flags of the chosen values of all flag knobs, in the order of the space.
std::vector<std::string> knob_flags(const SearchSpace& space, const Configuration& configuration);

}  // namespace rooftune
