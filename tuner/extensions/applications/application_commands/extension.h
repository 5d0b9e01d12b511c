// Tuned kernels inside applications: what this extension adds to `tune`, and libraries from
// studies.
#pragma once
#include "cli/export_choice.h"
#include "cli/study_files.h"
#include "exports/kernel_library.h"

namespace rooftune::application_commands {

/// Adds `tune new`, and the form "library" to `tune export`. To be called before any thread starts.
void add_applications();
/// `tune export --format library`.
int export_library(ExportChoices& choices, const ExportOptions& options);

}  // namespace rooftune::application_commands
