// `tune sweep bisect`.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

/// Returns 1 if the last commit is not slower. Throws Error and Interrupted.
int bisect_command(const BisectOptions& options);

}  // namespace rooftune::night_commands
