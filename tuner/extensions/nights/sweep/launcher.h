// A sweep as Slurm jobs: arrays of shards, submitted again where they ended too early, watched
// until every study has its outcome. The launcher runs sbatch, squeue and scancel from PATH. Slurm
// gets the script and lists its remaining jobs; whether a study has ended is read from its own
// files, for Slurm's states do not say why a job failed, and Slurm may run a task twice.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
#include "core/list.h"
#include "sweep/sweep.h"

namespace rooftune::sweep {

/// Settings for a sweep on a cluster, besides its plan.
struct ClusterSweep {
  fs::path plan_file, results;
  fs::path directory;  ///< the run's, as open_run() gives it
  fs::path program;    ///< `tune`, as the nodes see it
  Texts worker_words;  ///< further options for `tune worker`
  size_t shards = 0;   ///< jobs for each machine, at most 1000; 0: one for each study
  /// Options that sbatch needs for a machine's nodes.
  std::function<Texts(const std::string& machine)> words;
  TextCallback say;                    ///< one line per change
  std::function<double(double)> wait;  ///< maps the time so far to the wait [s]; tests
  /// How long a job may run after its last outcome [s]; cancelling it loses nothing.
  double grace = 5;
};

/// Submits the shards that have open studies and no job alive from an earlier call, and returns
/// when all have ended. Studies without an outcome then count as interrupted, with the path to the
/// job's output. On an interruption by the user (interruption.h), jobs are cancelled, and it
/// returns when they are gone. Throws Error when Slurm is missing or takes no job.
SweepSummary run_on_slurm(const Plan& plan, const ClusterSweep& sweep);

/// A task that is pending or running in Slurm.
struct SlurmTask {
  /// squeue's words for `state`.
  static constexpr const char *running = "RUNNING", *completing = "COMPLETING";
  std::string name;  ///< its job's
  std::string job;   ///< Slurm's number
  size_t task = 0;   ///< its array's
  std::string state, reason, node;
  bool runs() const { return state == running || state == completing; }
  /// Slurm could not start it and waits for an administrator.
  bool is_stuck() const;
};
using SlurmTasks = std::vector<SlurmTask>;

/// Throws Error (ExitCode::unavailable) when any command is missing.
void require_slurm();
/// Reads squeue's output. Unknown lines are left out.
SlurmTasks parse_queue(const std::string& text);

}  // namespace rooftune::sweep
