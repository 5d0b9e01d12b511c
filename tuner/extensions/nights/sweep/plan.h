// A plan: the studies of a sweep, read from one JSON file ("rooftune-sweep-1").
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/spec.h"
#include "sweep/regression.h"

namespace rooftune::sweep {

/// One study of a plan; results, command and what a turn restricts are the sweep's.
struct PlannedStudy {
  std::string name;  ///< unique in the plan; default "<kernel>" or "<kernel>-<position>"
  StudySpec spec;
  double priority = 0;  ///< larger first; among equals see in_order() (schedule.h)
};

/// One search time for all studies together, spent where the gap is largest (by_gap.h).
struct SharedBudget {
  double total = 0;  ///< [s] of searching; races, set-backs and counts come on top, as in `tune`
  double slice = 0;  ///< [s] that a study gets at a time
};

/// What a sweep writes beside a file for each study: no study may be called so.
inline constexpr const char *summary_file = "summary.json", *slices_file = "slices.json";
bool is_own_file(const std::string& name);
/// Ends the name of what marks a study as begun.
inline constexpr const char* started_suffix = ".started";

struct Plan {
  std::string name;                    ///< of the plan file when not given
  std::optional<SharedBudget> budget;  ///< absent: each study has its own
  std::optional<double> total;         ///< [s] of wall time after which no study begins
  bool wait = true;                    ///< for cores that are timed on; else a study is left out
  bool watch = true;                   ///< hold every best against the baseline of its series
  double threshold = usual_threshold;  ///< a study that is slower by less is as fast
  std::string exports;                 ///< what applications load: a folder or a file; or empty
  bool update_exports = false;         ///< write what is better, see held_against_exports()
  std::vector<std::string> ceilings;   ///< measured again before the first study
  /// Commands run at the end, with ROOFTUNE_SWEEP_STATE and ROOFTUNE_SWEEP_DIRECTORY.
  std::vector<std::vector<std::string>> notify;
  std::vector<PlannedStudy> studies;
  std::string key;  ///< hash of the file's text: a changed plan is another sweep
};

/// Reads and checks a plan; every fault at once. Studies of "matrix" come before those of
/// "studies". "defaults" supplies members that a study leaves out. Kernel paths and problem values
/// that start with ./ or ../ are relative to the plan's folder.
Plan read_plan(const std::filesystem::path& file);

}  // namespace rooftune::sweep
