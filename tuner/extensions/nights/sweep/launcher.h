// A sweep as jobs of Slurm: arrays of shards, submitted again where they ended too early, watched
// until every study has its outcome.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace rooftune::sweep {

/// What a sweep on a cluster is made of, besides its plan.
struct ClusterSweep {
  std::filesystem::path plan_file, results;
  std::filesystem::path directory;        ///< of the run, as open_run() gives it
  std::filesystem::path program;          ///< `tune`, as the nodes see it
  std::vector<std::string> worker_words;  ///< further options of `tune worker`
  std::size_t shards = 0;                 ///< jobs of each machine, at most; 0: one for each study
  /// Options of sbatch for nodes of a machine.
  std::function<std::vector<std::string>(const std::string& machine)> words;
  std::function<void(const std::string&)> say;  ///< one line per change
  std::function<double(double)> wait;           ///< [s] between looks, of the time so far; tests
  /// For which a job may go on after its last outcome [s]; it loses nothing when it is cancelled.
  double grace = 5;
};

/// A shard is submitted again while it gets on: after so many jobs in a row that finished no study
/// of it, it is left.
inline constexpr int most_attempts = 3;

/// Submits shards whose studies have no outcome and which no job of an earlier call still has, and
/// returns when nothing is left to wait for. Studies without an outcome are then interrupted, with
/// where the job's words are. When the user wants an end (interruption.h), jobs are cancelled, and
/// it returns when they are gone. Throws Error when Slurm is not here or takes no job.
SweepSummary run_on_slurm(const Plan& plan, const ClusterSweep& sweep);

}  // namespace rooftune::sweep
