// Counting by instrumentation: a counter provider for computers whose hardware counters are missing
// or closed to users.
#pragma once
#include "core/modules.h"
#include "counters/provider.h"

namespace rooftune::instrumentation {

/// The variant's own machine code, traced: needs x86-64, but no counters.
std::unique_ptr<CallCounter> open_instrumented(const CountingPlan& plan);

/// Adds the provider "instrumented". To be called before any thread starts.
void add_instrumentation();

}  // namespace rooftune::instrumentation
