// This host by /proc and /sys: an addition to hwloc, and its replacement where it is missing.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "os/topology.h"

namespace rooftune::os {

/// As topology() without hwloc, for programs that must not need it. Memory of high bandwidth counts
/// as other memory.
Topology sysfs_topology();

/// CPUs of the affinity mask in order of their numbers.
std::vector<int> usable_cpus();
/// The first CPU of every core, then the second ones, and so on.
std::vector<int> cores_first(const std::vector<std::vector<int>>& cores);
/// Cores, caches and NUMA nodes of the CPUs of `result`. Without /sys every CPU is a core.
void describe_by_sysfs(Topology& result);
/// Everything else: memory, names, and the limits of control groups.
void describe_system(Topology& result);
/// Value of the first line "key : value" of /proc/cpuinfo with one of these keys; empty without.
std::string cpuinfo(std::initializer_list<const char*> keys);

}  // namespace rooftune::os
