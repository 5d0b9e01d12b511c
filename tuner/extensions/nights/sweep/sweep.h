// A sweep: the studies of a plan one after the other, resumable at any point.
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

/// Settings of one study for one turn.
struct StudyTurn {
  const PlannedStudy& study;
  bool fresh = false;  ///< new measurements instead of continuing old records
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

/// The folder of a plan's runs: results/sweeps/<name>.
fs::path runs_of(const Plan& plan, const fs::path& results);
/// The newest run of this very plan, if it has no summary.
std::optional<fs::path> unfinished_run(const Plan& plan, const fs::path& results);

/// Keeps a second sweep of a plan of this name out; see run_sweep(). Makes its folder.
FileLock lock_sweep(const Plan& plan, const fs::path& results, bool wait);
/// Which run of a plan: the newest if it is unfinished, else a new one; a new one; the unfinished.
enum class Begin { joined, anew, continued };
/// results/sweeps/<plan>/<utc>.<key>. Concurrent processes that join get the same. Throws Error
/// where nothing is to be continued.
fs::path open_run(const Plan& plan, const fs::path& results, Begin begin = Begin::joined);
/// A line for each decision: the next study, studies left out. May be empty.
using SweepLog = std::function<void(const std::string& line)>;

/// Runs the studies at these positions of a plan in the folder of a run and writes a file for each
/// at its end; existing ones are kept. It waits for studies in the hands of another process, so
/// copies of a process do the work once.
SweepSummary run_part(const Plan& plan, const fs::path& directory, const Indices& positions,
                      const StudyRunner& runner, const SweepLog& log = {});
/// The summary of a run finished by other processes; a study without an outcome is interrupted.
SweepSummary collected(const Plan& plan, const fs::path& directory);
/// Writes summary.json, the end of a run, unless a study was interrupted or left for later.
void write_summary(const SweepSummary& summary);

/// Settings of a run.
struct SweepControl {
  bool wait = false;  ///< while another process runs the plan; else an Error
  Begin begin = Begin::anew;
  SweepLog log = {};
};

/// Runs a plan under results/sweeps/<plan>/<utc>. A continued run keeps finished studies and
/// resumes the one in flight from its records. Writes one JSON file per study at its end, and
/// summary.json when no study of the plan is missing. A failing study does not stop the others.
/// Studies without time left in a total come first the next time (in_order()). Throws Error,
/// ExitCode::busy when another process runs a plan of this name, ExitCode::io for a write error:
/// the same call goes on.
SweepSummary run_sweep(const Plan& plan, const fs::path& results, const StudyRunner& runner,
                       const SweepControl& control = {});

}  // namespace rooftune::sweep
