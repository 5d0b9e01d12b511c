// What a change of a knob usually brings, before any trial: by what the knob declares to break.
#pragma once
#include "search/strategy.h"
#include "space/knob.h"
#include "space/search_space.h"

namespace rooftune::search {

/// Logarithm of the speed-up, the mean over what the knob declares to break: vectors the most, then
/// less work, fewer bytes, more of them from a cache. No measurement, but the order in which
/// performance engineers try changes; soon overruled by trials.
double usual_gain(const Knob& knob);

/// Natural logarithm of how much slower a configuration is expected to be than with every knob at
/// its most promising value. People write the plain form first and as the default, and what they
/// thought of later behind: of values that are names or yes and no, a later one is expected to
/// bring more; of numbers only threads and the width of vectors have a direction, and layouts of
/// data (unit_stride) have none: what helps one loop harms another. Empty where no knob of the
/// space declares anything of use.
Expected expected_of_declarations(const SearchSpace& space);

}  // namespace rooftune::search
