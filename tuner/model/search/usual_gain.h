// What changing a knob usually brings, before any trial: by what the knob declares to break.
#pragma once
#include "search/strategy.h"
#include "space/knob.h"
#include "space/search_space.h"

namespace rooftune::search {

/// Logarithm of the speed-up, the mean over what the knob declares to break: vectors the most, then
/// less work, fewer bytes, more of them from a cache. Not measured, but the order in which
/// performance engineers try changes; trials soon overrule it.
double usual_gain(const Knob& knob);

/// Natural logarithm of how much slower a configuration is expected to be than with every knob at
/// its most promising value. People write the plain form first and as the default, and later ideas
/// behind it: among names, or yes and no, a later value is expected to bring more. Among numbers
/// only threads and vector widths have a direction; settings for OpenMP or the environment have
/// none but their threads; data layouts (unit_stride) have none: what helps one loop harms another.
/// Empty where no knob in the space declares anything useful.
Expected expected_of_declarations(const SearchSpace& space);

}  // namespace rooftune::search
