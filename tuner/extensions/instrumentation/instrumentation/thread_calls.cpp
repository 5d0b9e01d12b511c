#include "instrumentation/thread_calls.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/list.h"
#include "core/seconds_since.h"
#include "instrumentation/trace.h"

namespace rooftune::instrumentation {

ThreadCalls thread_calls(const Texts& names, const Numbers& calls) {
  ThreadCalls found;
  for (const size_t i : indices(names)) {
    const std::string& name = names[i];
    if (!(calls[i] > 0)) continue;
    // GNU's runtime once had a function that begins a region and one that ends it.
    if ((name.starts_with("GOMP_parallel") && !name.ends_with("_end")) ||
        name.starts_with("__kmpc_fork_call"))
      found.regions += calls[i];
    found.dealt |= contains(name, "_next") || contains(name, "task");
  }
  return found;
}

double empty_region_seconds(StartRegion start, int threads) {
  // On a busy machine each region may wait some milliseconds for its turn.
  constexpr int repetitions = 100, least_repetitions = 5;
  constexpr double most_seconds = 0.02;
  double least = HUGE_VAL, spent = 0;
  for (int i = 0; i < repetitions && (i < least_repetitions || spent < most_seconds); ++i) {
    const auto begin = SteadyClock::now();
    start([](void*) {}, nullptr, unsigned(threads), 0);
    const double seconds = seconds_since(begin);
    spent += seconds;
    least = std::min(least, seconds);
  }
  return least;
}

}  // namespace rooftune::instrumentation
