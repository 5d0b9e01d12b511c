// A sweep: the studies of a plan one after the other, resumable at any point.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/json.h"
#include "sweep/plan.h"

namespace rooftune {

/// How one study of a sweep ended.
struct StudyOutcome {
  enum class State { done, failed, interrupted };
  std::string name;
  State state = State::done;
  std::string message;   ///< why it failed
  Json result;           ///< the study's result JSON; null when it failed before a result
  bool earlier = false;  ///< finished in an earlier, killed run of this sweep
};
const char* to_text(StudyOutcome::State state);

struct SweepSummary {
  std::string plan, started, finished;
  std::vector<StudyOutcome> studies;
  std::filesystem::path directory;  ///< where the results and summary.json are
  bool complete() const;            ///< nothing was interrupted
  bool failed() const;              ///< some study failed
};
Json to_json(const SweepSummary& summary);

/// Runs one planned study; `fresh` asks for new measurements instead of continuing old records.
using StudyRunner = std::function<StudyOutcome(const PlannedStudy& study, bool fresh)>;

/// Runs a plan under results/sweeps/<plan>/<utc>. An unfinished run of the same plan is continued:
/// finished studies are kept, the one in flight resumes from its records; a finished one starts a
/// new run. Writes one JSON file per study when it ends, and summary.json. A failing study does not
/// stop the others.
SweepSummary run_sweep(const Plan& plan, const std::filesystem::path& results,
                       const StudyRunner& runner);

}  // namespace rooftune
