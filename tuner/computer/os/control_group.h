// Limits by the control groups of this process, as set by containers and batch systems.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/modules.h"

namespace rooftune::os {

struct GroupLimits {
  std::optional<double> cpus;                 ///< CPU time per wall time (a quota)
  std::optional<std::uint64_t> memory_bytes;  ///< least of all groups above this process
};

/// Reads both hierarchies, of version 1 and 2. `groups`: their mount point; `own`: the list of the
/// groups of a process, as in /proc/self/cgroup. Unreadable files limit nothing.
GroupLimits group_limits(const std::filesystem::path& groups = "/sys/fs/cgroup",
                         const std::filesystem::path& own = "/proc/self/cgroup");

}  // namespace rooftune::os
