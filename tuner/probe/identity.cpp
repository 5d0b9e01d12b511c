#include "probe/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/hash.h"

namespace rooftune::microbench {
namespace {

/// Value of the first line "key : value" of /proc/cpuinfo; empty when there is none.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == std::string::npos ? std::string{} : line.substr(value);
  }
  return {};
}

/// Firmware keeps a part of the memory that changes from start to start: whole GiB identify.
std::string memory_text(std::uint64_t bytes) {
  return fmt::format("{:.0f} GiB", std::ceil(static_cast<double>(bytes) / 0x1p30));
}

}  // namespace

void identify(Machine& machine, const Topology& topology, const CpuFeatures& features) {
  machine.cores = topology.cores;
  machine.numa_nodes = std::max(1, static_cast<int>(topology.numa_nodes.size()));
  machine.fast_memory_nodes = static_cast<int>(topology.fast_nodes.size());
  machine.simd_bits = features.simd_bits;
  machine.features = features.names;
  machine.identity["hostname"] = topology.hostname;
  machine.identity["cpu"] = topology.cpu_model;
  machine.identity["kernel"] = topology.kernel;
  machine.identity["hypervisor"] = topology.hypervisor.empty() ? "none" : topology.hypervisor;
  machine.identity["memory"] = memory_text(topology.memory_bytes);
  machine.identity["cores"] = std::to_string(topology.cores);
  machine.identity["NUMA nodes"] = std::to_string(machine.numa_nodes);
  machine.identity["caches"] = caches_text(topology);
  machine.identity["cpus"] = std::to_string(topology.cpus.size());
  if (const std::string microcode = cpuinfo("microcode"); !microcode.empty())
    machine.identity["microcode"] = microcode;
  std::string names;
  for (const std::string& name : features.names) names += (names.empty() ? "" : " ") + name;
  machine.identity["features"] = names;
  LabelledHash hash;
  for (const auto& [key, value] : machine.identity) hash.add(key, value);
  machine.id = hash.hex();
}

}  // namespace rooftune::microbench
