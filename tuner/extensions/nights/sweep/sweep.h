// A sweep: a plan's studies one after the other, resumable at any point.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "os/file_lock.h"
#include "sweep/outcome.h"
#include "sweep/schedule.h"

namespace rooftune::sweep {

/// How one study runs in one turn.
struct StudyTurn {
  const PlannedStudy& study;
  bool fresh = false;  ///< measure anew rather than continue old records
};

struct SweepSummary {
  std::string plan, started, finished;
  std::vector<StudyOutcome> studies;
  fs::path directory;  ///< where the results and summary.json are
  bool has(StudyEnd::State state) const;
  bool has(Standing finding) const;  ///< against a baseline
  bool complete() const { return !has(StudyEnd::State::interrupted); }
  bool failed() const { return has(StudyEnd::State::failed); }
  Standing state() const;  ///< the most urgent
};
Json to_json(const SweepSummary& summary);

/// May throw Error (the study failed) and Interrupted.
using StudyRunner = std::function<StudyOutcome(const StudyTurn& turn)>;

/// The folder with a plan's runs: results/sweeps/<name>.
fs::path runs_of(const Plan& plan, const fs::path& results);
/// The newest run of this very plan, if it has no summary.
std::optional<fs::path> unfinished_run(const Plan& plan, const fs::path& results);

/// Keeps out a second sweep whose plan has the same name; see run_sweep(). Makes the folder.
FileLock lock_sweep(const Plan& plan, const fs::path& results, bool wait);
/// Which run to use: the newest if it is unfinished, else a new one; a new one; the unfinished one.
enum class Begin { joined, anew, continued };
/// results/sweeps/<plan>/<utc>.<key>. Processes that join at the same time get the same run. Throws
/// Error where there is no run to continue.
fs::path open_run(const Plan& plan, const fs::path& results, Begin begin = Begin::joined);
/// A line for each decision: the next study, studies left out. May be empty.
using SweepLog = std::function<void(const std::string& line)>;

/// Runs the studies at these positions in the plan and writes a file into the run's folder when
/// each study ends; existing files are kept. It waits for studies that another process is running,
/// so several copies do the work once.
SweepSummary run_part(const Plan& plan, const fs::path& directory, const Indices& positions,
                      const StudyRunner& runner, const SweepLog& log = {});
/// Summarises a run that other processes finished; a study without an outcome counts as
/// interrupted.
SweepSummary collected(const Plan& plan, const fs::path& directory);
/// Writes summary.json, which ends a run, unless a study was interrupted or left for later.
void write_summary(const SweepSummary& summary);

/// How to run a sweep.
struct SweepControl {
  bool wait = false;  ///< wait while another process runs the plan; else throw Error
  Begin begin = Begin::anew;
  SweepLog log = {};
};

/// Runs a plan under results/sweeps/<plan>/<utc>. A continued run keeps finished studies and
/// resumes the one in flight from its records. Writes a JSON file when a study ends, and
/// summary.json when no study is missing. A failing study does not stop the others. Studies that no
/// longer fit into the plan's total come first the next time (in_order()). Throws Error,
/// ExitCode::busy when another process runs a plan with this name, ExitCode::io on a write error:
/// the same call goes on.
SweepSummary run_sweep(const Plan& plan, const fs::path& results, const StudyRunner& runner,
                       const SweepControl& control = {});

}  // namespace rooftune::sweep
