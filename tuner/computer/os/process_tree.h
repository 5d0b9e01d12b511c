// Processes as shown by /proc: children, memory, marked ones. Every answer may be out of date when
// it arrives.
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
/// CPU time of a thread so far [s], in steps of a hundredth; 0 when it does not exist.
double thread_cpu_seconds(pid_t pid, pid_t thread);
/// All visible processes.
std::vector<pid_t> processes();
/// The name of its program, of 15 characters at most; empty when it does not exist.
std::string process_name(pid_t pid);
/// CPU time of a process so far [s], in steps of a hundredth; 0 when it does not exist.
double process_cpu_seconds(pid_t pid);
/// CPU time so far of all living descendants of a process and of those they have reaped [s].
double descendants_cpu_seconds(pid_t pid);
/// Resident memory [B] of a process and all its descendants.
std::size_t resident_bytes(pid_t pid);
/// Processes (not this one) with an environment variable beginning with `marker`.
std::vector<pid_t> marked_processes(const std::string& marker);
/// Clock ticks from boot to the start of the process; 0 when it does not exist. With the pid it
/// identifies a process for ever.
std::uint64_t start_time(pid_t pid);
/// Processes killed for lack of memory since boot, on the whole system; -1 when unknown.
std::int64_t oom_kills();

/// Kills the descendants of a process, detached ones included, but not the process: a subreaper
/// keeps them all below it.
void end_descendants(pid_t pid);
/// Kills and reaps all children of this process.
void end_children();
/// For a program with all its children from spawn(): end_strays() then needs no mark of a stray.
/// Nothing when there are children already, perhaps left behind by a shell.
void treat_all_children_as_own();
/// Kills and reaps unregistered children of ours: descendants of a child with `marker` or as the
/// leader of `group`, after its end.
void end_strays(const std::string& marker, pid_t group);

}  // namespace rooftune::os
