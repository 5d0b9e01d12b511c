// What the commands of this extension were asked for.
#pragma once
#include "cli/options.h"

namespace rooftune::night_commands {

struct BaselineOptions {
  std::string action;    ///< accept, list, show
  ExportOptions choice;  ///< choice of the study
  std::string who, why;
  bool json = false;
};

/// The applications' exports, in place of the plan's.
struct ExportsOptions {
  std::string places;   ///< files or folders, with ':' between them
  bool update = false;  ///< replace them by a better one
};

struct SweepOptions {
  std::string plan, results, json;
  std::string fail_on = "inconclusive";  ///< never, regression, inconclusive
  std::vector<std::string> only;         ///< studies of the plan; empty: all
  bool quiet = false, verbose = false, wait = false, share_machine = false;
  std::vector<std::string> outputs;  ///< FORMAT=FILE
  ExportsOptions exports;
  bool check = false, dry_run = false;
  std::string launcher = "local";  ///< or slurm
  std::size_t shards = 0;          ///< jobs of a machine; 0: one for each study
};

struct WorkerOptions {
  std::string plan, machine, sweep, results;  ///< no plan: variants for a parent tune
  std::string shard = "1/1";
  ExportsOptions exports;
  bool quiet = false;
};

int sweep_command(const SweepOptions& options);
int baseline_command(const BaselineOptions& options);
int worker_command(const WorkerOptions& options);
/// `tune report --sweep FOLDER`.
int report_sweeps(const ReportOptions& options, const std::string& folder);
/// `tune --launcher slurm`: the same command on a node of the machine, its output here.
int tune_on_slurm(const TuneOptions& options);

}  // namespace rooftune::night_commands
