// The user's wish that this process ends: Ctrl-C, a closed terminal, a scheduler's signal. Whatever
// waits for a child lets Interrupted pass.
#pragma once
#include "core/interrupted.h"

namespace rooftune::inline os {

/// From now on the first SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2 or SIGXCPU makes
/// interrupted() true, ends children that are waited for, and lets those waits throw Interrupted.
/// SIGHUP stays ignored where it was (nohup). A second SIGINT, SIGTERM or SIGQUIT ends this process
/// at once with 130; its guard ends what it started, and records are already on disk.
void watch_interrupts();
/// False for ever in a process that does not watch.
bool interrupted();
/// Becomes readable with the first signal and stays so, for poll(); -1 in a process that does not
/// watch.
int interruption_descriptor();

}  // namespace rooftune::inline os
