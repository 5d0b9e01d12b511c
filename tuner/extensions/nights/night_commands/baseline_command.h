// `tune baseline`.
#pragma once
#include "night_commands/options.h"

namespace rooftune::night_commands {

int baseline_command(const BaselineOptions& options);

}  // namespace rooftune::night_commands
