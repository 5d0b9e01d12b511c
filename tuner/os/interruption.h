// The user's wish that this process ends: SIGINT (Ctrl-C) or SIGTERM. Whatever waits for a child
// lets Interrupted pass.
#pragma once
#include "core/interrupted.h"

namespace rooftune::inline os {

/// From now on the first SIGINT or SIGTERM makes interrupted() true, ends children that are waited
/// for, and lets those waits throw Interrupted. The second ends this process at once with 130; its
/// guard ends what it started, and records are already on disk.
void watch_interrupts();
/// False for ever in a process that does not watch.
bool interrupted();
/// Becomes readable with the first signal and stays so, for poll(); -1 in a process that does not
/// watch.
int interruption_descriptor();

}  // namespace rooftune::inline os
