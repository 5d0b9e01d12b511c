// The space of the configurations allowed for every one of several problems of a kernel.
#pragma once
#include <vector>

#include "space/search_space.h"

namespace rooftune::space {

/// Each knob keeps the values common to all; the defaults are those of the first problem whose
/// defaults all allow. The constraints of all hold, each with the facts of its own problem. Throws
/// Error when a knob has no value left, when nothing is allowed by all, or when the activity of
/// knobs depends on facts that differ.
SearchSpace common_space(const std::vector<SearchSpace>& spaces, const std::vector<Facts>& facts);

}  // namespace rooftune::space
