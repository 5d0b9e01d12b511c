// Baselines that are kept as builds, and their race against another night's best.
#pragma once
#include <filesystem>
#include <string>

#include "study/baseline.h"
#include "study/prepare.h"
#include "study/result.h"

namespace rooftune::host {

/// Takes a study's best as the baseline of its series, keeps the timed artefact, and measures its
/// binding ceiling. The previous baseline goes to `earlier`. Throws Error if the study has no best,
/// tuned a program, or ran on another machine, and if its sources or its compiler have changed
/// since, for the timed object cannot be built again then.
Baseline accept(const fs::path& results, const StudyRecord& record, const StudyResult& result,
                const std::string& who, const std::string& why);
/// The same for a study that has just run, is still prepared, and has a best.
Baseline accept(const fs::path& results, PreparedStudy& study, const StudyRecord& record,
                const StudyResult& result, const std::string& who, const std::string& why);

/// Runs the accepted variant again, interleaved with the accepted configuration as built today and
/// with `best` of the study just run. More rounds follow until today's build is certainly slower or
/// faster than the accepted one by `threshold` (0.03: 3 %), or not slower by that. Waits for other
/// timings on the same cores. Throws Interrupted; every other fault is in the answer.
Rematch rematch(const Baseline& baseline, PreparedStudy& study, const Configuration& best,
                double threshold);

}  // namespace rooftune::host
