// `tune sweep`, and what a worker runs of the same plan.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

int sweep_command(const SweepOptions& options);

/// Reads the plan, with its faults at once. Throws Error also for one with commands (`notify`,
/// programs) that other users may change, in its file or in its folder, unless that is allowed.
Plan allowed_plan(const SweepOptions& options);
/// Standard error, unless it is to be quiet.
SweepLog sweep_log(const SweepOptions& sweep);
/// Runs a study of a plan from the terminal, with progress on standard error, and compares its best
/// with the baseline of its series where the plan wants it. Throws Error and Interrupted.
StudyOutcome run_planned(const StudyTurn& turn, const Plan& plan, const SweepOptions& sweep,
                         const fs::path& results);

}  // namespace rooftune::night_commands
