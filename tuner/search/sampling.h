// Where to begin: configurations that cover the values of all knobs.
// The caller owes a state of the search.
#pragma once
#include "search/seen.h"

namespace rooftune {

/// The untried configuration, among a few dozen uniform draws, whose values were tried least: a
/// Latin hypercube built point by point, which constraints cannot break.
/// `ends`: values at the ends of ordered knobs are preferred as well, as much as values that were
/// not tried. What a knob does is mostly monotone, and two ends tell such an effect best.
std::optional<std::uint64_t> covering_draw(const Seen& seen, Rng& rng, bool ends = false);

}  // namespace rooftune
