// A child process from its birth to its end, and the guard that ends all of them after us.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/list.h"
#include "core/modules.h"

namespace rooftune::os {

struct Command;
struct ExitStatus;

/// Two ends of a pipe or socket pair, close-on-exec and above a child's own descriptors.
struct DescriptorPair {
  Descriptor parent, child;
};
/// The parent reads the child's output. Throws Error when the system has no descriptor left.
DescriptorPair output_pipe();
/// Both directions; the parent's end can be written without SIGPIPE.
DescriptorPair socket_pair();

struct Spawned {
  pid_t pid = -1;
  Descriptor pid_fd;   ///< -1 where the system has no pidfd_open
  std::string marker;  ///< environment variable of this child and its descendants
};

/// Starts `command`: own group, no core files, killed with its starting thread, first choice of the
/// out-of-memory killer. `request` and `reply` become descriptors 3 and 4 unless -1; stdin is
/// empty, stdout and stderr are `output`; nothing else is inherited. Throws Error when it cannot
/// start.
Spawned spawn(const Command& command, int request, int reply, int output);

/// Kills a child of spawn(), its group and all its descendants, and waits for it: how it ended, by
/// itself before or now.
ExitStatus end_child(pid_t pid, const std::string& marker);

/// True for a child of spawn() not yet reaped.
bool is_registered_child(pid_t pid);
/// Markers of the children of spawn() not yet reaped.
Texts markers_of_children();

/// Starts the guard of this process, once. It waits for the end of this process, however it comes
/// (kill -9 included), then kills every process with our marker. Also makes this process the reaper
/// of its orphaned descendants. A program with children started by threads calls it before the
/// threads begin: the guard is a copy of this process without its threads, but with their locks.
void start_guard();
/// Prefix of the environment variables that mark our descendants.
const std::string& guard_marker();

}  // namespace rooftune::os
