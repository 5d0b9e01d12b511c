// What others recorded: what `tune` gains by this extension.
#pragma once
#include "cli/command_table.h"

namespace rooftune::replay_commands {

/// Adds its commands, T1 as a form of search spaces, and the forms of recordings to `tune export`.
/// Before any thread starts.
void add_replay();

/// `tune space`, `tune replay`, and a recording as what `tune report` is of.
void add_space(CLI::App& app, CommandLine& line);
void add_strategies(CLI::App& app, CommandLine& line);
void add_recording_report(CLI::App& app, CommandLine& line);

}  // namespace rooftune::replay_commands
