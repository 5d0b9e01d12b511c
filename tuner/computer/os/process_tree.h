// Processes as /proc shows them: children, memory, who carries a marker. Every answer may be out of
// date when it arrives.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::os {

/// Direct children of a process (of all its threads).
std::vector<pid_t> children(pid_t pid);
/// Threads of a process.
std::vector<pid_t> threads_of(pid_t pid);
/// 'R' running or waiting for a CPU, 'S' sleeping ...; 0 when it does not exist.
char thread_state(pid_t pid, pid_t thread);
/// What a thread has computed so far [s], in steps of a hundredth; 0 when it does not exist.
double thread_cpu_seconds(pid_t pid, pid_t thread);
/// What all descendants of a process that live, and those that they have waited for, have computed
/// so far [s].
double descendants_cpu_seconds(pid_t pid);
/// Resident memory [B] of a process and all its descendants.
std::size_t resident_bytes(pid_t pid);
/// Processes (not we) whose environment has a variable that starts with `marker`.
std::vector<pid_t> marked_processes(const std::string& marker);
/// Clock ticks since boot when the process started; 0 when it does not exist. With the pid it names
/// a process for ever.
std::uint64_t start_time(pid_t pid);
/// Processes killed for lack of memory since boot, on the whole system; -1 when unknown.
std::int64_t oom_kills();

/// Kills the descendants of a process, however they have detached themselves, but not the process:
/// one that is a subreaper keeps them all below it.
void end_descendants(pid_t pid);
/// Kills and reaps all children of this process.
void end_children();
/// For a program whose every child comes from spawn(): what end_strays() finds is then a stray also
/// without a mark. Nothing when there are children already, which a shell may have left behind.
void claim_children();
/// Kills and reaps children of ours that nobody registered: descendants of a child that carried
/// `marker` or was the leader of `group`, and which outlived it.
void end_strays(const std::string& marker, pid_t group);

}  // namespace rooftune::os
