// A plan: a sweep's studies, read from one JSON file ("rooftune-sweep-1").
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/list.h"
#include "core/object_reader.h"
#include "store/record_care.h"
#include "store/study_store.h"
#include "study/spec.h"
#include "sweep/regression.h"

namespace rooftune::sweep {

/// One study in a plan; the sweep sets results, command and the limits of a turn.
struct PlannedStudy {
  std::string name;  ///< unique in the plan; default "<kernel>" or "<kernel>-<position>"
  StudySpec spec;
  double priority = 0;  ///< larger first; among equals see in_order() (schedule.h)
  static void fields(auto& self, auto& visit) {
    StudySpec::fields(self.spec, visit);
    ROOFTUNE_FIELD(name, {"Unique in the plan"});
    ROOFTUNE_FIELD(priority, {"Larger first"});
  }
};

/// The sweep's own file, beside one for each study: no study may have its name.
inline constexpr const char* summary_file = "summary.json";
/// Suffix of the file that marks a begun study.
inline constexpr const char* started_suffix = ".started";

struct Plan {
  std::string name;                    ///< the plan file's when not given
  std::optional<double> total;         ///< wall time in which studies may begin [s]
  bool wait = true;                    ///< wait for busy cores; else leave the study out
  bool watch = true;                   ///< compare every best with its series' baseline
  double threshold = usual_threshold;  ///< a smaller slowdown does not count
  /// Commands to run at the end, with ROOFTUNE_SWEEP_STATE, ROOFTUNE_SWEEP_DIRECTORY and
  /// ROOFTUNE_SWEEP_SUBJECT.
  std::vector<Texts> notify;
  std::optional<Seconds> retention;  ///< older results are removed after each whole night
  std::vector<PlannedStudy> studies;
  std::string key;  ///< hash of the file's text: a changed plan is another sweep
};

/// Reads and checks a plan; every fault at once. Studies from "matrix" come before those in
/// "studies". "defaults" supplies members that a study lacks. Kernel paths, programs with their
/// spaces and problem values that start with ./ or ../ are relative to the plan's folder.
Plan read_plan(const fs::path& file);

/// The studies that a matrix stands for, as JSON in the form of "studies". The values that tell
/// them apart make the "name": "spmv.kokkos.matrix=bunny". `matrix` holds a list for every axis;
/// "problem" may also hold lists by kernel ("*": the other kernels). "exclude" drops studies that
/// have all members of an object. Every fault is collected, also an exclusion without a match.
std::vector<Json> expanded(ObjectReader& matrix);

}  // namespace rooftune::sweep
