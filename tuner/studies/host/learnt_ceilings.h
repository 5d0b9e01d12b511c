// What a study saw faster than ever stays in the machine's file, with its date: a ceiling is the
// fastest rate that was ever seen.
#pragma once
#include "probe/probe.h"
#include "study/platform.h"

namespace rooftune::host {

/// Adds readings to the machine's file where the file lacks the ceiling or knows a slower rate.
/// Nothing happens where the file is another machine's by now, or may not be written.
void learn(const Machine& machine, const CeilingList& readings);

/// The named ceilings' micro-kernels, as Platform::roofs says; the file learns from them when the
/// last copy is gone. `bench`: see probe::RoofBench.
Roofs learning_roofs(const Machine& machine, const Texts& names, SharedBench bench);

}  // namespace rooftune::host
