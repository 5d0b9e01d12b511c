// What holds code back that is at no roof and does little more than it must: parallel regions, a
// thread with more work than others, loads that wait for memory, operations that wait for each
// other, instructions besides the work.
#pragma once
#include <vector>

#include "core/estimate.h"
#include "roofline/counts.h"
#include "roofline/machine.h"

namespace rooftune::roofline {

struct Bottleneck {
  enum class Kind {
    regions,
    imbalance,
    latency,
    dependency,    ///< few instructions pass, and their data lie in L1
    instructions,  ///< many pass
  };
  Kind kind;
  /// Time over that of the call; above 1 where loads overlap or a region takes less than an empty
  /// one did. Of `dependency` and `instructions` 0: they have no price.
  double part = 0;
  /// regions: how many per call; imbalance: the busiest thread's instructions over the mean;
  /// latency: scattered loads per call that miss L1; dependency, instructions: instructions that
  /// pass in a cycle of the busiest thread.
  double figure = 0;
  double seconds = 0;  ///< of one empty region, of one load; else 0
};

/// Each with its evidence among `counts.details`, the largest part first; nothing is said without.
/// `seconds`: of a call; what is said holds at both of its ends. Latencies and the clock come from
/// the machine's ceilings; none for a GPU.
std::vector<Bottleneck> bottlenecks(const Counts& counts, const Machine& machine,
                                    const Estimate& seconds);

}  // namespace rooftune::roofline
