// Baselines that run: what was built is kept beside the baseline's file, and raced against what
// another night found.
#pragma once
#include <filesystem>
#include <string>

#include "host/host_platform.h"
#include "study/baseline.h"
#include "study/prepare.h"
#include "study/result.h"

namespace rooftune::host {

/// Takes a study's best as the baseline of its series, with the shared object that was timed, and
/// measures the ceiling that binds it. The one before goes to `earlier`. Throws Error when the
/// study has no best, when it is one of a program or of another machine, or when its sources or its
/// compiler have changed since, so that what was timed cannot be kept.
Baseline accept(const std::filesystem::path& results, const StudyRecord& record,
                const StudyResult& result, const std::string& who, const std::string& why);
/// The same of a study that has a best and was just run, as it was prepared for that.
Baseline accept(const std::filesystem::path& results, PreparedStudy& study,
                const StudyRecord& record, const StudyResult& result, const std::string& who,
                const std::string& why);

/// Runs the accepted variant again, interleaved with `best` of the study that was just run and with
/// the accepted configuration as it is built today. More rounds are run as long as they cannot tell
/// whether `best` is slower by `threshold` (0.03: 3 %). Waits for
/// who times on the same cores, unless the machine is shared. Throws Interrupted; every other fault
/// is in the answer.
Rematch rematch(const std::filesystem::path& results, const Baseline& baseline,
                PreparedStudy& study, const Configuration& best, double threshold,
                bool share_machine = false);

/// Two configurations of a study that was just run, built and validated again.
struct Duel {
  /// Time of the other over that of the best, paired by rounds: above 1 the best is faster. Absent
  /// with a fault.
  std::optional<Estimate> ratio;
  int rounds = 0;
  std::string fault;  ///< why there is no answer
};
/// As rematch(), of `best` and what an application loads now.
Duel duel(PreparedStudy& study, const Configuration& best, const Configuration& other,
          double threshold, bool share_machine = false);

}  // namespace rooftune::host
