// What was tuned, inside applications: what `tune` gains by this extension, and libraries from
// studies.
#pragma once
#include "cli/command_table.h"
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "exports/kernel_library.h"

namespace rooftune::application_commands {

/// Adds `tune new`, and libraries to the forms of `tune export`. Before any thread starts.
void add_applications();
/// `tune export --format library`.
int export_library(ExportChoices& choices, const ExportOptions& options);

}  // namespace rooftune::application_commands
