// A sweep as jobs of Slurm: arrays of shards, submitted again where they ended too early, watched
// until every study has its outcome. Slurm through its commands sbatch, squeue and scancel, as they
// stand on PATH. It gets the script and lists its remaining jobs; the end of the work is read from
// the work's own files, because Slurm's states give no reason of a failure, and it may run a task
// twice.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "sweep/sweep.h"

namespace rooftune::sweep {

/// Settings of a sweep on a cluster, besides its plan.
struct ClusterSweep {
  fs::path plan_file, results;
  fs::path directory;  ///< the run's, as open_run() gives it
  fs::path program;    ///< `tune`, as the nodes see it
  Texts worker_words;  ///< further options of `tune worker`
  size_t shards = 0;   ///< jobs of each machine, at most 1000; 0: one for each study
  /// Options of sbatch for nodes of a machine.
  std::function<Texts(const std::string& machine)> words;
  std::function<void(const std::string&)> say;  ///< one line per change
  std::function<double(double)> wait;           ///< [s] between looks, of the time so far; tests
  /// Longest run of a job after its last outcome [s]; cancelling it loses nothing.
  double grace = 5;
};

/// Submits shards with studies open and no job of an earlier call still alive, and returns when all
/// have ended. Studies without an outcome are then interrupted, with the place of the job's output.
/// On an interruption by the user (interruption.h), jobs are cancelled, and it returns when they
/// are gone. Throws Error when Slurm is missing or takes no job.
SweepSummary run_on_slurm(const Plan& plan, const ClusterSweep& sweep);

/// A task pending or running in Slurm.
struct SlurmTask {
  /// Words of squeue for `state`.
  static constexpr const char *running = "RUNNING", *completing = "COMPLETING";
  std::string name;  ///< its job's
  std::string job;   ///< Slurm's number
  size_t task = 0;   ///< its array's
  std::string state, reason, node;
  bool runs() const { return state == running || state == completing; }
  /// Slurm could not start it and waits for an administrator.
  bool is_stuck() const;
};

/// Throws Error (ExitCode::unavailable) when one of the commands is not here.
void require_slurm();
/// From the output of squeue. Unknown lines are left out.
std::vector<SlurmTask> parse_queue(const std::string& text);

}  // namespace rooftune::sweep
