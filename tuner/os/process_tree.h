// Processes as /proc shows them: children, memory, who carries a marker. Every answer may be out of
// date when it arrives.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rooftune::inline os {

/// Direct children of a process (of all its threads).
std::vector<pid_t> children(pid_t pid);
/// Resident memory [B] of a process and all its descendants.
std::size_t resident_bytes(pid_t pid);
/// Processes (not we) whose environment has a variable that starts with `marker`.
std::vector<pid_t> marked_processes(const std::string& marker);
/// Clock ticks since boot when the process started; 0 when it does not exist. With the pid it names
/// a process for ever.
std::uint64_t start_time(pid_t pid);
/// Processes killed for lack of memory since boot, on the whole system; -1 when unknown.
std::int64_t oom_kills();

/// Kills and reaps children of ours that nobody registered: descendants of a child that carried
/// `marker` or was the leader of `group`, and which outlived it.
void end_strays(const std::string& marker, pid_t group);

}  // namespace rooftune::inline os
