// The user's wish that this process ends: Ctrl-C, a closed terminal, a scheduler's signal. Whatever
// waits for a child lets Interrupted pass.
#pragma once
#include <optional>

#include "core/interrupted.h"

namespace rooftune::os {

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

/// After a child ended by this signal: whoever asks all of a group to end, as Slurm and terminals
/// do, asks this process as well, though perhaps a moment later. Waits that moment and throws
/// Interrupted, so that nobody takes the child for one that failed.
void throw_if_all_were_asked_to_end(std::optional<int> signal);

}  // namespace rooftune::os
