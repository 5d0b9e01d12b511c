// A ceiling is a running maximum: of two measurements of it the faster one stays, whenever it was
// taken.
#pragma once
#include "roofline/machine.h"

namespace rooftune::probe {

/// Takes over rate, samples, clock, size and source of the other measurement when it is faster;
/// then returns true.
bool keep_faster(Ceiling& ceiling, const Ceiling& other);

/// Adds what an earlier probe of the same machine has seen: its ceilings that were faster, those
/// that this probe lacks, its levels that did not show this time, larger capacities and more caches
/// of a level. A note says how many. What it only shows is left out.
void keep_faster(Machine& machine, const Machine& earlier);

}  // namespace rooftune::probe
