// Merging of a ceiling's measurements: the faster one stays, whenever it was taken.
#pragma once
#include "roofline/machine.h"

namespace rooftune::probe {

/// Takes over rate, samples, clock, size and source of the other measurement when it is faster;
/// then returns true.
bool keep_faster(Ceiling& ceiling, const Ceiling& other);

/// Adds the gains of an earlier probe of the same machine: its faster ceilings, ceilings missing
/// here, levels not seen this time, larger capacities and more caches of a level. A note counts
/// them. Ceilings shown only are left out.
void keep_faster(Machine& machine, const Machine& earlier);

}  // namespace rooftune::probe
