// The user's request to end this process: Ctrl-C, a closed terminal, a scheduler's signal. Every
// wait for a child lets Interrupted pass.
#pragma once
#include <optional>

#include "core/interrupted.h"

namespace rooftune::os {

/// From now on the first SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2 or SIGXCPU makes
/// interrupted() true, ends the children now waited for, and lets those waits throw Interrupted.
/// SIGHUP stays ignored where it was (nohup). A second SIGINT, SIGTERM or SIGQUIT ends this process
/// at once with 130; its guard ends the children, and records are already on disk.
void watch_interrupts();
/// Always false in a process without watch_interrupts().
bool interrupted();
/// Becomes readable with the first signal and stays so, for poll(); -1 in a process without
/// watch_interrupts().
int interruption_descriptor();

/// After a child ended by this signal: a signal to a whole group, as from Slurm and terminals,
/// reaches this process as well, though perhaps a moment later. Waits for it and throws
/// Interrupted; the child must not count as failed.
void throw_if_all_were_asked_to_end(std::optional<int> signal);

}  // namespace rooftune::os
