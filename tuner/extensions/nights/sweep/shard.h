// A shard: one process's part of a plan, chosen without asking any other process.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace rooftune::sweep {

/// Of the studies by priority, else in the order of the plan: those at positions index - 1,
/// index - 1 + count, ...
struct Shard {
  std::size_t index = 1, count = 1;  ///< 1 <= index <= count
};
/// "3/8". Throws Error.
Shard parse_shard(const std::string& text);

/// Positions of the plan's studies on this machine (empty: on all) in the shard. Throws Error
/// without a study on this machine, or for several shards of a shared budget.
std::vector<std::size_t> studies_of(const Plan& plan, const std::string& machine,
                                    const Shard& shard);
/// The machines of the studies, in the order of the plan.
std::vector<std::string> machines_of(const Plan& plan);

/// Throws Error unless this is the folder of a run of this plan.
void require_run_of(const Plan& plan, const std::filesystem::path& directory);

}  // namespace rooftune::sweep
