// A study of a plan, run from the terminal: by `tune sweep`, here or on a cluster, and by a worker.
#pragma once
#include <filesystem>

#include "night_commands/options.h"
#include "sweep/sweep.h"

namespace rooftune::night_commands {

/// The exports to compare a sweep's bests with: by its options, else by the plan.
ExportWatch export_watch(const Plan& plan, const SweepOptions& sweep);
/// Standard error, unless it is to be quiet.
SweepLog sweep_log(const SweepOptions& sweep);
/// Runs it, with progress on standard error, and compares its best with the baseline of its series
/// where the plan wants it, and with the applications' exports. Throws Error and Interrupted.
StudyOutcome run_planned(const StudyTurn& turn, const Plan& plan, const SweepOptions& sweep,
                         const std::filesystem::path& results);
/// The plan as jobs of Slurm; see run_on_slurm().
SweepSummary sweep_on_slurm(const Plan& plan, const SweepOptions& sweep,
                            const std::filesystem::path& results);
/// Options of a slurm job on behalf of a machine. Throws Error for an unreadable file.
std::vector<std::string> slurm_words(const std::string& machine);

}  // namespace rooftune::night_commands
