// A plan: the studies of a sweep, read from one JSON file ("rooftune-sweep-1").
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "study/spec.h"

namespace rooftune::inline sweep {

/// One study of a plan; results, command and what a turn restricts are the sweep's.
struct PlannedStudy {
  std::string name;  ///< unique in the plan; default "<kernel>" or "<kernel>-<position>"
  StudySpec spec;
};

/// One search time for all studies together, spent where the gap is largest (by_gap.h).
struct SharedBudget {
  double total = 0;  ///< [s] of searching; races, set-backs and counts come on top, as in `tune`
  double slice = 0;  ///< [s] that a study gets at a time
};

/// What a sweep writes beside a file for each study: no study may be called so.
inline constexpr const char *summary_file = "summary.json", *slices_file = "slices.json";

struct Plan {
  std::string name;                    ///< of the plan file when not given
  std::optional<SharedBudget> budget;  ///< absent: each study has its own
  std::vector<PlannedStudy> studies;
  std::string key;  ///< hash of the file's text: a changed plan is another sweep
};

/// Reads and checks a plan; every fault at once. "defaults" supplies members that a study leaves
/// out. Kernel paths and problem values that start with ./ or ../ are relative to the plan's
/// folder.
Plan read_plan(const std::filesystem::path& file);

}  // namespace rooftune::inline sweep
