// The host as hwloc sees it through our affinity mask, completed from /proc and /sys.
#include "os/topology.h"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "os/sysfs_topology.h"

namespace rooftune::os {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

Handle loaded(const std::vector<int>& cpus) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle handle(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  const hwloc_bitmap_t usable = hwloc_bitmap_alloc();
  for (const int cpu : cpus) hwloc_bitmap_set(usable, static_cast<unsigned>(cpu));
  // Nodes without CPUs stay: high-bandwidth memory often is one.
  const int fault = hwloc_topology_restrict(raw, usable, 0);
  hwloc_bitmap_free(usable);
  return fault == 0 ? std::move(handle) : nullptr;
}

std::vector<int> members(hwloc_const_bitmap_t set) {
  std::vector<int> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
    cpus.push_back(cpu);
  return cpus;
}

std::vector<hwloc_obj_t> objects(hwloc_topology* topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> found;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object))) found.push_back(object);
  return found;
}

void describe_caches(hwloc_topology* topology, Topology& result) {
  const std::pair<const char*, hwloc_obj_type_t> levels[] = {{"L1", HWLOC_OBJ_L1CACHE},
                                                             {"L2", HWLOC_OBJ_L2CACHE},
                                                             {"L3", HWLOC_OBJ_L3CACHE},
                                                             {"L4", HWLOC_OBJ_L4CACHE}};
  for (const auto& [name, type] : levels) {
    const auto caches = objects(topology, type);
    if (!caches.empty() && caches[0]->attr->cache.size > 0)
      result.caches.push_back({name, caches[0]->attr->cache.size, static_cast<int>(caches.size()),
                               std::max(0, caches[0]->attr->cache.associativity)});
  }
}

/// As hwloc names the tier of a node; other tiers (NVM, CXL) are slower than ordinary memory.
bool is_fast(hwloc_obj_t node) {
  const std::string tier = node->subtype ? node->subtype : "";
  return tier == "HBM" || tier == "MCDRAM";
}

void describe_by_hwloc(hwloc_topology* topology, Topology& result) {
  std::vector<std::vector<int>> cores;
  for (const auto core : objects(topology, HWLOC_OBJ_CORE)) cores.push_back(members(core->cpuset));
  if (!cores.empty()) {
    result.cores = static_cast<int>(cores.size());
    result.cpus = cores_first(cores);
  }
  for (const auto node : objects(topology, HWLOC_OBJ_NUMANODE)) {
    auto cpus = members(node->cpuset);
    if (is_fast(node))
      result.fast_nodes.push_back(static_cast<int>(node->os_index));
    else if (!cpus.empty())
      result.numa_nodes.push_back(std::move(cpus));
  }
  describe_caches(topology, result);
}

}  // namespace

Topology topology() {
  Topology result;
  result.cpus = usable_cpus();
  if (const Handle handle = loaded(result.cpus))
    describe_by_hwloc(handle.get(), result);
  else
    describe_by_sysfs(result);
  describe_system(result);
  return result;
}

}  // namespace rooftune::os
