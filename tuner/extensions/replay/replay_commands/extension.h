// What others recorded: what `tune` gains by this extension.
#pragma once
#include "core/modules.h"

namespace rooftune::replay_commands {

/// Adds its commands, T1 as a form of search spaces, and the forms of recordings to `tune export`.
/// Before any thread starts.
void add_replay();

}  // namespace rooftune::replay_commands
