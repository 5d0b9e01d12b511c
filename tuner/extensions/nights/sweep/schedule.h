// In which order a plan's studies run, and for how long, from the runs before.
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

/// Files of a run's studies, one for each that ended, sorted; not those of the sweep itself.
std::vector<std::filesystem::path> outcome_files(const std::filesystem::path& run);

/// The latest run of a plan in which a study ended.
struct LastNight {
  std::string run;            ///< name of its folder, which begins with the time
  double age = 0;             ///< [s] since then
  double seconds = 0;         ///< [s] of wall time that the study took
  std::optional<double> gap;  ///< of its best
};
/// By name of the study, from the folders under `root`.
std::map<std::string, LastNight> last_nights(const std::filesystem::path& root);

/// Positions in plan.studies: by priority; under a plan's total among equals those that were never
/// measured first, then by log(gap / target gap) x age; else as the plan has them.
std::vector<std::size_t> in_order(const Plan& plan, const std::map<std::string, LastNight>& last);

/// What a study will probably take [s]: what it took the last time, else its budget of wall time;
/// nullopt for a budget of evaluations that never ran.
std::optional<double> expected_seconds(const PlannedStudy& study,
                                       const std::map<std::string, LastNight>& last);

/// Why a study stands where in_order() puts it: "priority 2", "never measured".
std::string reason_of_turn(const Plan& plan, std::size_t position,
                           const std::map<std::string, LastNight>& last);
/// ", about 25 min to go" for the studies at these positions of a plan; empty when nobody knows.
std::string time_to_go(const Plan& plan, const std::vector<std::size_t>& left,
                       const std::map<std::string, LastNight>& last);

/// How the latest run of a plan stands.
struct RunStatus {
  std::filesystem::path run;  ///< empty: there is none
  std::string state;          ///< "ended: none", "runs now: process 12 on node3", "was cut short"
  std::size_t ended = 0, failed = 0;
  std::vector<std::string> in_flight;  ///< studies that began and have not ended
};
RunStatus latest_run(const std::filesystem::path& root);

}  // namespace rooftune::sweep
