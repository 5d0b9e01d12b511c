// What was tuned, inside applications: what `tune` gains by this extension.
#pragma once
#include "cli/command_table.h"
#include "cli/export_choice.h"

namespace rooftune::application_commands {

/// Adds `tune kokkos`, `tune new`, and libraries to the forms of `tune export`. Before any thread
/// starts.
void add_applications();
/// Adds `tune new`.
void add_new(CLI::App& app, CommandLine& line);
/// `tune export --format library`.
int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options);

}  // namespace rooftune::application_commands
