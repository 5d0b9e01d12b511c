// The guard: a tiny process that outlives us by a moment and kills what we started and left behind.
// spawn() starts it before the first child.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Starts the guard of this process, once. It waits for the end of this process, however it comes
/// (kill -9 included), then kills every process that carries our marker. Also makes this process
/// the reaper of its orphaned descendants. A program whose threads start children calls it before
/// they begin: the guard is a copy of this process without them, and of locks that they hold.
void start_guard();
/// Prefix of the names of environment variables that mark our descendants.
const std::string& guard_marker();

}  // namespace rooftune::os
