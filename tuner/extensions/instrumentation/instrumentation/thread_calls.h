// Calls to the OpenMP runtime: parallel regions, dealt work and their costs.
#pragma once
#include "core/list.h"

namespace rooftune::instrumentation {

struct ThreadCalls {
  double regions = 0;  ///< parallel regions entered
  bool dealt = false;  ///< threads asked for their work: tasks, and all schedules but static
};
/// From the called functions' names and how often each was called.
ThreadCalls thread_calls(const Texts& names, const Numbers& calls);

/// Runs a function on so many threads, the way compiled code enters a parallel region:
/// GOMP_parallel.
using StartRegion = void (*)(void (*)(void*), void*, unsigned threads, unsigned flags);
/// The time of the fastest among at most 100 empty regions [s]: what each region costs at least.
double empty_region_seconds(StartRegion start, int threads);

}  // namespace rooftune::instrumentation
