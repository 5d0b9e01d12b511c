// `tune sweep`, and what a worker shares with it.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

int sweep_command(const SweepOptions& options);

/// Reads the plan and reports its faults at once. Throws Error also if the plan has commands
/// (`notify`, programs) and other users may change its file or folder, unless that is allowed.
Plan allowed_plan(const SweepOptions& options);
/// Writes to standard error, unless the sweep is quiet.
SweepLog sweep_log(const SweepOptions& sweep);
/// Runs a plan's studies from the terminal, with progress on standard error, and compares each best
/// with its series' baseline where the plan wants it; plan and options must outlive it.
StudyRunner planned_runner(const Plan& plan, const SweepOptions& sweep, const fs::path& results);

}  // namespace rooftune::night_commands
