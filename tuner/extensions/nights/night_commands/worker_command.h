// `tune worker`, and the plan as jobs of Slurm, which run it.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

int worker_command(const WorkerOptions& options);
/// The plan as jobs of Slurm; see run_on_slurm().
SweepSummary sweep_on_slurm(const Plan& plan, const SweepOptions& sweep, const fs::path& results);

}  // namespace rooftune::night_commands
