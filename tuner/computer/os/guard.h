// The guard: a tiny process that outlives this one by a moment and kills the children left behind.
// spawn() starts it before the first child.
#pragma once
#include <string>

#include "core/modules.h"

namespace rooftune::os {

/// Starts the guard of this process, once. It waits for the end of this process, however it comes
/// (kill -9 included), then kills every process with our marker. Also makes this process the reaper
/// of its orphaned descendants. A program with children started by threads calls it before the
/// threads begin: the guard is a copy of this process without its threads, but with their locks.
void start_guard();
/// Prefix of the environment variables that mark our descendants.
const std::string& guard_marker();

}  // namespace rooftune::os
