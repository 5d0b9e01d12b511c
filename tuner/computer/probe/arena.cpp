#include "probe/arena.h"

#include <algorithm>
#include <thread>

#include "core/error.h"
#include "probe/team.h"

namespace rooftune::probe {
namespace {

/// Room for the gaps between the arrays of a stream.
constexpr std::size_t gaps = std::size_t{64} << 10;

int cpu_of_another_node(const std::vector<std::vector<int>>& nodes, int cpu) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (std::find(nodes[i].begin(), nodes[i].end(), cpu) != nodes[i].end())
      return nodes[(i + 1) % nodes.size()].front();
  return nodes.front().front();
}

}  // namespace

Arena::Arena(const std::vector<int>& cpus, const Topology& topology, std::size_t bytes)
    : bytes_(bytes) {
  for (auto& kind : mappings_) kind.resize(cpus.size());
  if (topology.numa_nodes.size() < 2) return;
  for (const int cpu : cpus) remote_cpus_.push_back(cpu_of_another_node(topology.numa_nodes, cpu));
}

Memory& Arena::memory(Kind kind, int thread) {
  auto& mapping = mappings_[static_cast<int>(kind)][static_cast<std::size_t>(thread)];
  if (mapping) return *mapping;
  if (kind == Kind::remote)
    mapping = remote_memory(thread);
  else
    mapping = std::make_unique<Memory>(
        bytes_ + gaps, kind == Kind::huge ? Memory::Pages::huge : Memory::Pages::base);
  return *mapping;
}

std::unique_ptr<Memory> Arena::remote_memory(int thread) const {
  if (!has_remote())
    throw Error("there is one NUMA node: no remote memory", "probe", {}, ExitCode::unavailable);
  auto memory = std::make_unique<Memory>(bytes_ + gaps, Memory::Pages::huge);
  bool pinned = false;
  // first touch decides the node
  std::thread([&] {
    pinned = pin(remote_cpus_[static_cast<std::size_t>(thread)]);
    memory->touch(memory->size());
  }).join();
  if (!pinned)
    throw Error("cannot touch memory of another NUMA node", "probe", {}, ExitCode::unavailable);
  return memory;
}

double Arena::huge_share(Kind kind) const {
  double least = 1;
  bool any = false;
  for (const auto& mapping : mappings_[static_cast<int>(kind)]) {
    if (!mapping) continue;
    any = true;
    least = std::min(least, mapping->huge_share());
  }
  return any ? least : 0;
}

}  // namespace rooftune::probe
