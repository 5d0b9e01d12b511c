#include "os/machine_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "os/sysfs_topology.h"

namespace rooftune::os {
namespace {

/// Firmware keeps a part of the memory, and a different one from start to start: whole GiB
/// identify.
std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.0f} GiB", std::ceil(static_cast<double>(bytes) / 0x1p30));
}

}  // namespace

MachineIdentity machine_identity(const Topology& topology, const CpuFeatures& features) {
  MachineIdentity identity{
      {"hostname", topology.hostname},
      {"cpu", topology.cpu_model},
      {"kernel", topology.kernel},
      {"hypervisor", topology.hypervisor.empty() ? "none" : topology.hypervisor},
      {"memory", memory_text(topology.memory_bytes)},
      {"cores", std::to_string(topology.cores)},
      {"NUMA nodes", std::to_string(std::max<std::size_t>(1, topology.numa_nodes.size()))},
      {"caches", caches_text(topology)},
      {"cpus", std::to_string(topology.cpus.size())},
      {"features", fmt::format("{}", fmt::join(features.names, " "))}};
  if (const std::string microcode = cpuinfo({"microcode"}); !microcode.empty())
    identity["microcode"] = microcode;
  return identity;
}

std::string machine_id(const MachineIdentity& identity) {
  LabelledHash hash;
  for (const auto& [key, value] : identity) hash.add(key, value);
  return hash.hex();
}

}  // namespace rooftune::os
