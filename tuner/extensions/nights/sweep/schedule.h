// Order and durations of a plan's studies, from the runs before.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace rooftune::sweep {

/// Sorted by name; empty where the folder cannot be read.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder);

/// Files of a run's studies, one for each ended study, sorted; not those of the sweep itself.
std::vector<std::filesystem::path> outcome_files(const std::filesystem::path& run);

/// The latest run of a plan with an outcome of the study.
struct LastNight {
  std::string run;            ///< name of its folder, with the time at its begin
  double age = 0;             ///< [s] since then
  double seconds = 0;         ///< [s] of the study's wall time
  std::optional<double> gap;  ///< of its best
};
/// By name of the study, from the folders under `root`.
std::map<std::string, LastNight> last_nights(const std::filesystem::path& root);

/// Positions in plan.studies: by priority; under a plan's total among equals the unmeasured ones
/// first, then by log(gap / target gap) x age; else in the order of the plan.
std::vector<std::size_t> in_order(const Plan& plan, const std::map<std::string, LastNight>& last);

/// Expected time of a study [s]: that of its last run, else its budget of wall time; nullopt for a
/// budget of evaluations without an earlier run.
std::optional<double> expected_seconds(const PlannedStudy& study,
                                       const std::map<std::string, LastNight>& last);

/// Reason for a study's place in in_order(): "priority 2", "never measured".
std::string reason_of_turn(const Plan& plan, std::size_t position,
                           const std::map<std::string, LastNight>& last);
/// ", about 25 min to go" for the studies at these positions of a plan; empty when unknown.
std::string time_to_go(const Plan& plan, const std::vector<std::size_t>& left,
                       const std::map<std::string, LastNight>& last);

/// State of the latest run of a plan.
struct RunStatus {
  std::filesystem::path run;  ///< empty: there is none
  std::string state;          ///< "ended: none", "runs now: process 12 on node3", "was cut short"
  std::size_t ended = 0, failed = 0;
  std::vector<std::string> in_flight;  ///< studies under way
};
RunStatus latest_run(const std::filesystem::path& root);

}  // namespace rooftune::sweep
