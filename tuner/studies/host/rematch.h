// Baselines that are kept as builds, and their race against the best of another night.
#pragma once
#include <filesystem>
#include <string>

#include "study/baseline.h"
#include "study/prepare.h"
#include "study/result.h"

namespace rooftune::host {

/// Takes a study's best as the baseline of its series, keeps the timed artefact, and measures
/// its binding ceiling. The previous one goes to `earlier`. Throws Error for a study without a
/// best, of a program or of another machine, and after a change of its sources or its compiler,
/// with the timed object beyond recovery.
Baseline accept(const fs::path& results, const StudyRecord& record, const StudyResult& result,
                const std::string& who, const std::string& why);
/// The same for a study with a best, just run, in its prepared state.
Baseline accept(const fs::path& results, PreparedStudy& study, const StudyRecord& record,
                const StudyResult& result, const std::string& who, const std::string& why);

/// Runs the accepted variant again, interleaved with the accepted configuration as built today and
/// with `best` of the study just run. More rounds follow until the former is certainly slower or
/// faster by `threshold` (0.03: 3 %), or not slower by that. Waits for other timings on the same
/// cores. Throws Interrupted; every other fault is in the answer.
Rematch rematch(const Baseline& baseline, PreparedStudy& study, const Configuration& best,
                double threshold);

}  // namespace rooftune::host
