// The studies of a plan in their order, with durations from the runs before, and in shards, which
// are chosen without asking any other process.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "sweep/plan.h"

namespace rooftune::sweep {

/// Sorted by name; empty where the folder cannot be read.
Paths folders_in(const fs::path& folder);

/// Files of a run's studies, one for each ended study, sorted; not those of the sweep itself.
Paths outcome_files(const fs::path& run);

/// The latest run of a plan with an outcome of the study.
struct LastNight {
  std::string run;            ///< name of its folder, with the time at its begin
  double age = 0;             ///< [s] since then
  double seconds = 0;         ///< [s] of the study's wall time
  std::optional<double> gap;  ///< its best's
};
/// By name of the plan's studies, from the folders under `root`.
ByName<LastNight> last_nights(const fs::path& root, const Plan& plan);

/// Positions in plan.studies: by priority; under a plan's total among equals the unmeasured ones
/// first, then by log(gap / target gap) x age; else in the order of the plan.
Indices in_order(const Plan& plan, const ByName<LastNight>& last);

/// Expected time of a study [s]: that of its last run, else its budget of wall time; nullopt for a
/// budget of evaluations without an earlier run.
std::optional<double> expected_seconds(const PlannedStudy& study, const ByName<LastNight>& last);

/// The studies at positions index - 1, index - 1 + count, ... by priority, else in the order of the
/// plan.
struct Shard {
  size_t index = 1, count = 1;  ///< 1 <= index <= count
};
/// "3/8". Throws Error.
Shard parse_shard(const std::string& text);

/// Positions of the plan's studies on this machine (empty: on all) in the shard. Throws Error
/// without a study on this machine.
Indices studies_of(const Plan& plan, const std::string& machine, const Shard& shard);
/// The machines of the studies, in the order of the plan.
Texts machines_of(const Plan& plan);

/// Throws Error unless this is the folder of a run of this plan.
void require_run_of(const Plan& plan, const fs::path& directory);

}  // namespace rooftune::sweep
