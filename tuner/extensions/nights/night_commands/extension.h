// Many studies, unattended: what this extension adds to `tune`.
#pragma once
#include "core/modules.h"

namespace rooftune::night_commands {

/// Adds its commands, and its option for `tune report`. To be called before any thread starts.
void add_nights();

}  // namespace rooftune::night_commands
