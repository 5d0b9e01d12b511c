// What was tuned, inside applications: what `tune` gains by this extension.
#pragma once
#include "core/modules.h"

namespace rooftune::application_commands {

/// Adds `tune kokkos`, and libraries to the forms of `tune export`. Before any thread starts.
void add_applications();

}  // namespace rooftune::application_commands
