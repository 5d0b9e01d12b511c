// Ceilings measured again before a sweep, so that a machine that has become slower is known first.
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

/// plan.ceilings of each machine of the plan that is here and was probed, a fifth of a second each.
/// Waits for who times on its cores, unless the machine is shared, and `log` tells who that is.
/// Throws Error for a name that no machine of the plan has.
std::vector<RoofTonight> roofs_tonight(const Plan& plan, bool share_machine,
                                       const std::function<void(const std::string&)>& log);
/// The last part alone: names that no machine has are faults. A host that was never probed has all.
void require_ceilings(const Plan& plan);

}  // namespace rooftune::sweep
