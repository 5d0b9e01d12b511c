// Many studies, unattended: what `tune` gains by this extension.
#pragma once
#include "core/modules.h"

namespace rooftune::night_commands {

/// Adds its commands, and its option of `tune report`. Before any thread starts.
void add_nights();

}  // namespace rooftune::night_commands
