// A sweep as jobs of Slurm: arrays of shards, submitted again where they ended too early, watched
// until every study has its outcome.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sweep/sweep.h"

namespace rooftune::sweep {

/// Settings of a sweep on a cluster, besides its plan.
struct ClusterSweep {
  std::filesystem::path plan_file, results;
  std::filesystem::path directory;        ///< of the run, as open_run() gives it
  std::filesystem::path program;          ///< `tune`, as the nodes see it
  std::vector<std::string> worker_words;  ///< further options of `tune worker`
  std::size_t shards = 0;  ///< jobs of each machine, at most 1000; 0: one for each study
  /// Options of sbatch for nodes of a machine.
  std::function<std::vector<std::string>(const std::string& machine)> words;
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

}  // namespace rooftune::sweep
