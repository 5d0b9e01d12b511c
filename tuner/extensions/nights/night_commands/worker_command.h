// `tune worker`, and the Slurm jobs that run it.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

int worker_command(const WorkerOptions& options);
/// Runs the plan as Slurm jobs; see run_on_slurm().
SweepSummary sweep_on_slurm(const Plan& plan, const SweepOptions& sweep, const fs::path& results);

}  // namespace rooftune::night_commands
