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
int export_library(std::vector<ExportChoice>& choices, const ExportOptions& options);

/// Puts a library of these studies in the place of an installed shared object that holds the same
/// problems; other studies are left out. It is built, tests itself, and is raced against the one
/// in use on each problem: faster on one and slower on none, it takes the object's place in one
/// step, and programs that start from then on load it. Returns a sentence. Throws Error where the
/// installed one stays, with the reason.
std::string update_library(const fs::path& object, const std::vector<ExportChoice>& choices);

}  // namespace rooftune::application_commands
