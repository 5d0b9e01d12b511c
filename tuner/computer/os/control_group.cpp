// A group is limited by every group above it. Inside a container the path of a group may be the
// host's, and absent: then the mounted group is the container's own.
#include "os/control_group.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

namespace rooftune::os {
namespace {

namespace fs = std::filesystem;

template <class Number>
void lower(std::optional<Number>& limit, Number value) {
  limit = limit ? std::min(*limit, value) : value;
}

/// "max 100000", "200000 100000"
void read_quota(const fs::path& folder, GroupLimits& limits) {
  double quota = 0, period = 0;
  if (std::ifstream(folder / "cpu.max") >> quota >> period && quota > 0 && period > 0)
    lower(limits.cpus, quota / period);
  if (std::ifstream(folder / "cpu.cfs_quota_us") >> quota &&
      std::ifstream(folder / "cpu.cfs_period_us") >> period && quota > 0 && period > 0)
    lower(limits.cpus, quota / period);
}

void read_memory(const fs::path& folder, GroupLimits& limits) {
  for (const char* file : {"memory.max", "memory.limit_in_bytes"})
    if (std::uint64_t bytes = 0; std::ifstream(folder / file) >> bytes)
      lower(limits.memory_bytes, bytes);
}

/// The folder and all above it, up to `root`.
std::vector<fs::path> upwards(const fs::path& root, const std::string& path) {
  std::vector<fs::path> folders{root};
  for (const fs::path& part : fs::path(path).relative_path())
    folders.push_back(folders.back() / part);
  return folders;
}

}  // namespace

GroupLimits group_limits(const fs::path& groups, const fs::path& own) {
  GroupLimits limits;
  std::ifstream lines(own);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const char* mount : {"", "cpu", "cpu,cpuacct", "memory", "unified"})
      for (const fs::path& folder : upwards(groups / mount, line.substr(second + 1))) {
        const auto has = [&](const char* name) {
          return controllers.empty() || controllers.find(name) != std::string::npos;
        };
        if (has("cpu")) read_quota(folder, limits);
        if (has("memory")) read_memory(folder, limits);
      }
  }
  return limits;
}

}  // namespace rooftune::os
