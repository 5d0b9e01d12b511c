// Data caches by CPUID, for hosts whose /sys lists none (some hypervisors).
#pragma once
#include <vector>

#include "os/topology.h"

namespace rooftune::os {

/// L1 to L4 of a host with so many usable CPUs; empty on other architectures. Sources: Intel SDM
/// leaf 4; AMD APM leaves 0x8000001D (same layout), 0x80000005 and 0x80000006 (sizes only: every
/// CPU counts as an instance).
std::vector<ReportedCache> cpuid_caches(int cpus);

}  // namespace rooftune::os
