// A plan: the studies of a sweep, read from one JSON file ("rooftune-sweep-1").
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace rooftune {

/// One study as `tune` would be told it on the command line.
struct PlannedStudy {
  std::string name;  ///< unique in the plan; default "<kernel>" or "<kernel>-<position>"
  std::string kernel, machine = "host", backend = "openmp", strategy = default_strategy, cache;
  std::map<std::string, std::string> problem;
  /// Of a study of several inputs all of them, each over `problem`; else empty.
  std::vector<std::map<std::string, std::string>> inputs;
  std::string objective;  ///< of several inputs: mean (also when empty) or minimax
  std::string budget = "2min";
  double target_gap = 1.05;
  std::uint64_t seed = 1;
  int threads = 0;
};

/// One search time for all studies together, spent where the gap is largest (by_gap.h).
struct SharedBudget {
  double total = 0;  ///< [s] of searching; races, set-backs and counts come on top, as in `tune`
  double slice = 0;  ///< [s] that a study gets at a time
};

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

}  // namespace rooftune
