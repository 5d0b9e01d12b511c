// Calls of the OpenMP runtime: parallel regions, dealt work and their costs.
#pragma once
#include "core/list.h"

namespace rooftune::instrumentation {

struct ThreadCalls {
  double regions = 0;  ///< parallel regions entered
  bool dealt = false;  ///< threads asked for their work: schedules but static ones, and tasks
};
/// From the names of called functions and how often each was called.
ThreadCalls thread_calls(const Texts& names, const Numbers& calls);

/// Runs a function on so many threads, as compiled code enters a parallel region: GOMP_parallel.
using StartRegion = void (*)(void (*)(void*), void*, unsigned threads, unsigned flags);
/// The fastest of at most 100 regions with nothing in them [s]: what each costs at least.
double empty_region_seconds(StartRegion start, int threads);

}  // namespace rooftune::instrumentation
