// What was tuned, inside applications: what `tune` gains by this extension.
#pragma once
#include "cli/export_choice.h"

namespace rooftune::application_commands {

/// Adds `tune kokkos`, and libraries to the forms of `tune export`. Before any thread starts.
void add_applications();
/// `tune export --format library`.
int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options);

}  // namespace rooftune::application_commands
