// A child process from its birth to its end, and the guard that ends all children after us.
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

/// The two ends of a pipe or socket pair, close-on-exec and above a child's own descriptors.
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
  std::string marker;  ///< environment variable that this child and its descendants carry
};

/// Starts `command`: own group, no core files, killed with the thread that starts it, first to go
/// when memory runs out. `request` and `reply` become descriptors 3 and 4 unless -1; stdin is
/// empty, stdout and stderr are `output`; nothing else is inherited. Throws Error when it cannot
/// start.
Spawned spawn(const Command& command, int request, int reply, int output);

/// Kills a child from spawn(), its group and all its descendants, and waits for it. Returns how it
/// ended, by itself before or now.
ExitStatus end_child(pid_t pid, const std::string& marker);

/// True for a child from spawn() that is not yet reaped.
bool is_registered_child(pid_t pid);
/// Markers of the children from spawn() that are not yet reaped.
Texts markers_of_children();

/// Starts this process's guard, once. The guard waits until this process ends, in whatever way
/// (kill -9 included), then kills every process with our marker. Also makes this process reap its
/// orphaned descendants. A program whose threads start children calls it before the threads begin:
/// the guard is a copy of this process without its threads, but with their locks.
void start_guard();
/// Prefix for the environment variables that mark our descendants.
const std::string& guard_marker();

}  // namespace rooftune::os
