// The host as hwloc sees it through our affinity mask, completed from /proc and /sys.
#include "os/topology.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>

#include "core/file.h"
#include "os/hypervisor.h"

namespace rooftune::inline os {
namespace {

struct Destroy {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

std::vector<int> allowed_cpus() {
  // Machines with more than 1024 CPUs need a longer mask than cpu_set_t.
  std::vector<int> cpus;
  constexpr int most = 1 << 16;
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  std::vector<cpu_set_t> mask(bytes / sizeof(cpu_set_t));
  if (sched_getaffinity(0, bytes, mask.data()) != 0) return {0};
  for (int cpu = 0; cpu < most; ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, mask.data())) cpus.push_back(cpu);
  return cpus;
}

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

/// The first CPU of every core, then the second ones, and so on.
std::vector<int> cores_first(const std::vector<std::vector<int>>& cores) {
  std::vector<int> order;
  for (std::size_t sibling = 0;; ++sibling) {
    const std::size_t before = order.size();
    for (const auto& core : cores)
      if (sibling < core.size()) order.push_back(core[sibling]);
    if (order.size() == before) return order;
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

/// Where hwloc fails: CPUs count as cores unless the kernel names their siblings.
void describe_by_sysfs(Topology& result) {
  std::map<std::string, std::vector<int>> cores;
  for (const int cpu : result.cpus) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const std::string siblings = text_if_readable(folder + "thread_siblings_list");
    cores[siblings.empty() ? std::to_string(cpu) : siblings].push_back(cpu);
  }
  std::vector<std::vector<int>> lists;
  for (const auto& [name, cpus] : cores) lists.push_back(cpus);
  result.cores = static_cast<int>(lists.size());
  result.cpus = cores_first(lists);
}

std::string cpu_model() {
  std::istringstream lines(text_if_readable("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);)
    for (const char* key : {"model name", "Processor", "cpu model"})
      if (line.rfind(key, 0) == 0 && line.find(": ") != std::string::npos)
        return line.substr(line.find(": ") + 2);
  return "unknown";
}

/// What is online, whatever this process may use.
std::size_t cpus_of_machine() {
  return static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

void limit(Topology& topology, const GroupLimits& limits) {
  const std::size_t usable = topology.cpus.size();
  if (usable < cpus_of_machine())
    topology.limited_by.push_back(
        fmt::format("the affinity mask (taskset, a container, a batch system) leaves {} of {} CPUs",
                    usable, cpus_of_machine()));
  if (limits.cpus && *limits.cpus < static_cast<double>(usable)) {
    // More threads than that would be stopped in turn, in the middle of what is timed.
    const auto whole = static_cast<std::size_t>(std::max(1.0, std::floor(*limits.cpus)));
    topology.limited_by.push_back(
        fmt::format("the quota of the control group is {:g} of {} CPUs", *limits.cpus, usable));
    topology.cpus.resize(whole);
    topology.cores = std::min(topology.cores, static_cast<int>(whole));
  }
  if (limits.memory_bytes && *limits.memory_bytes < topology.memory_bytes) {
    topology.memory_bytes = *limits.memory_bytes;
    topology.limited_by.push_back(fmt::format("the control group allows {:.3g} GiB of memory",
                                              static_cast<double>(topology.memory_bytes) / 0x1p30));
  }
}

std::string caches_text(const Topology& topology) {
  std::string text;
  for (const ReportedCache& cache : topology.caches)
    text += fmt::format("{}{} {} KiB x {}", text.empty() ? "" : ", ", cache.name,
                        cache.bytes / 1024, cache.instances);
  return text;
}

Topology topology() {
  Topology result;
  result.cpus = allowed_cpus();
  if (const Handle handle = loaded(result.cpus))
    describe_by_hwloc(handle.get(), result);
  else
    describe_by_sysfs(result);
  if (result.numa_nodes.empty()) result.numa_nodes.push_back(result.cpus);
  result.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  limit(result, group_limits());
  result.cpu_model = cpu_model();
  result.hypervisor = hypervisor();
  utsname system{};
  uname(&system);
  result.kernel = system.release;
  result.hostname = system.nodename;
  const std::string pages = text_if_readable("/sys/kernel/mm/transparent_hugepage/enabled");
  result.transparent_huge_pages =
      pages.find("[madvise]") != std::string::npos || pages.find("[always]") != std::string::npos;
  return result;
}

}  // namespace rooftune::inline os
