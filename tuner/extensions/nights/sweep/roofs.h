// Ceilings measured again before a sweep, for early notice of a slower machine.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "sweep/plan.h"

namespace rooftune::sweep {

/// A ceiling tonight, and as the machine file has it [flop/s, B/s].
struct RoofTonight {
  std::string machine, ceiling;
  double now = 0, then = 0;
};
Json to_json(const RoofTonight& roof);

/// plan.ceilings of each probed machine of the plan at this place, a fifth of a second each. Waits
/// for other timings on its cores, unless the machine is shared, with their owner in the `log`.
/// Throws Error for a name unknown to all machines of the plan.
std::vector<RoofTonight> roofs_tonight(const Plan& plan, bool share_machine,
                                       const std::function<void(const std::string&)>& log);
/// The last part alone: names unknown to all machines are faults. A host without a probe has all.
void require_ceilings(const Plan& plan);

}  // namespace rooftune::sweep
