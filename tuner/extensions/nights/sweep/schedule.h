// A plan's studies in order, with durations from earlier runs, and in shards, which each process
// finds without asking another.
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

/// A run's outcome files, one for each ended study, sorted; without the sweep's own file.
Paths outcome_files(const fs::path& run);

/// The plan's latest run in which the study was done.
struct LastNight {
  std::string run;            ///< its folder's name, which begins with its start time
  double age = 0;             ///< [s] since then
  double seconds = 0;         ///< the study's wall time [s]
  std::optional<double> gap;  ///< its best's
};
/// By study name, from the folders under `root`.
ByName<LastNight> last_nights(const fs::path& root, const Plan& plan);

/// Positions in plan.studies, by priority. If the plan has a total, unmeasured studies come first
/// among equals, then by log(gap / target gap) x age; else equals keep the plan's order.
Indices in_order(const Plan& plan, const ByName<LastNight>& last);

/// A study's expected time [s]: what its last run took, else its wall-time budget; nullopt where
/// the budget counts evaluations and there is no earlier run.
std::optional<double> expected_seconds(const PlannedStudy& study, const ByName<LastNight>& last);

/// The studies at positions index - 1, index - 1 + count, ... when sorted by priority, then by the
/// plan's order.
struct Shard {
  size_t index = 1, count = 1;  ///< 1 <= index <= count
};
/// "3/8". Throws Error.
Shard parse_shard(const std::string& text);

/// Positions of the shard's studies on this machine (empty: on all). Throws Error if this machine
/// has no study.
Indices studies_of(const Plan& plan, const std::string& machine, const Shard& shard);
/// The studies' machines, in the plan's order.
Texts machines_of(const Plan& plan);

/// Throws Error unless `directory` holds a run of this plan.
void require_run_of(const Plan& plan, const fs::path& directory);

}  // namespace rooftune::sweep
