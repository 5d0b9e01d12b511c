#include "os/sysfs_topology.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "core/file.h"
#include "core/text.h"
#include "os/cpuid_caches.h"
#include "os/hypervisor.h"

namespace rooftune::os {
namespace {

const std::string cpu_folder = "/sys/devices/system/cpu/cpu";

/// A file of one line; empty where it is not there.
std::string line_of(const std::string& file) {
  return std::string(trimmed(text_if_readable(file)));
}

/// The number at the start of a text: 48 of "48K".
std::optional<int> leading_number(const std::string& text) {
  int number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

/// "0-3,8,10-11"
std::vector<int> listed_cpus(const std::string& list) {
  constexpr int most = 1 << 16;
  std::vector<int> cpus;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto first = leading_number(part);
    const std::size_t dash = part.find('-');
    const auto last = dash == std::string::npos ? first : leading_number(part.substr(dash + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= std::min(*last, most); ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

void describe_cores(Topology& result) {
  std::map<std::string, std::vector<int>> siblings;
  std::vector<std::string> order;
  for (const int cpu : result.cpus) {
    const std::string list =
        line_of(fmt::format("{}{}/topology/thread_siblings_list", cpu_folder, cpu));
    const std::string core = list.empty() ? fmt::format("cpu {}", cpu) : list;
    if (siblings[core].empty()) order.push_back(core);
    siblings[core].push_back(cpu);
  }
  std::vector<std::vector<int>> cores;
  for (const std::string& core : order) cores.push_back(siblings[core]);
  result.cores = static_cast<int>(cores.size());
  result.cpus = cores_first(cores);
}

/// Caches of data by level; two CPUs of one list share an instance.
void describe_levels(Topology& result) {
  std::map<int, ReportedCache> levels;
  std::set<std::string> seen;
  for (const int cpu : usable_cpus())
    for (int index = 0;; ++index) {
      const std::string folder = fmt::format("{}{}/cache/index{}/", cpu_folder, cpu, index);
      const auto level = leading_number(line_of(folder + "level"));
      if (!level) break;
      const auto kibibytes = leading_number(line_of(folder + "size"));
      if (!kibibytes || *kibibytes <= 0 || line_of(folder + "type") == "Instruction") continue;
      if (!seen.insert(fmt::format("{} {}", *level, line_of(folder + "shared_cpu_list"))).second)
        continue;
      const int ways = leading_number(line_of(folder + "ways_of_associativity")).value_or(0);
      ReportedCache& cache =
          levels
              .try_emplace(*level,
                           ReportedCache{fmt::format("L{}", *level),
                                         static_cast<std::uint64_t>(*kibibytes) * 1024, 0, ways})
              .first->second;
      ++cache.instances;
    }
  for (const auto& [level, cache] : levels) result.caches.push_back(cache);
  if (levels.empty()) result.caches = cpuid_caches(static_cast<int>(usable_cpus().size()));
}

void describe_nodes(Topology& result) {
  const std::set<int> usable(result.cpus.begin(), result.cpus.end());
  for (const int node : listed_cpus(line_of("/sys/devices/system/node/online"))) {
    std::vector<int> cpus =
        listed_cpus(line_of(fmt::format("/sys/devices/system/node/node{}/cpulist", node)));
    std::erase_if(cpus, [&](int cpu) { return usable.count(cpu) == 0; });
    if (!cpus.empty()) result.numa_nodes.push_back(std::move(cpus));
  }
}

/// CPUs online, also those barred to this process.
std::size_t cpus_of_machine() {
  return static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace

std::vector<int> usable_cpus() {
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

std::vector<int> cores_first(const std::vector<std::vector<int>>& cores) {
  std::vector<int> order;
  for (std::size_t sibling = 0;; ++sibling) {
    const std::size_t before = order.size();
    for (const auto& core : cores)
      if (sibling < core.size()) order.push_back(core[sibling]);
    if (order.size() == before) return order;
  }
}

void describe_by_sysfs(Topology& result) {
  describe_cores(result);
  describe_levels(result);
  describe_nodes(result);
}

std::string cpuinfo(std::initializer_list<const char*> keys) {
  std::istringstream lines(text_if_readable("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);)
    for (const char* key : keys)
      if (const auto colon = line.find(':'); line.rfind(key, 0) == 0 && colon != std::string::npos)
        return std::string(trimmed(std::string_view(line).substr(colon + 1)));
  return {};
}

void limit(Topology& topology, const GroupLimits& limits) {
  const std::size_t usable = topology.cpus.size();
  if (usable < cpus_of_machine())
    topology.limited_by.push_back(
        fmt::format("the affinity mask (taskset, a container, a batch system) leaves {} of {} CPUs",
                    usable, cpus_of_machine()));
  if (limits.cpus && *limits.cpus < static_cast<double>(usable)) {
    // More threads would be stopped in turn, in the middle of a timing.
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

void describe_system(Topology& result) {
  if (result.numa_nodes.empty()) result.numa_nodes.push_back(result.cpus);
  result.memory_bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  limit(result, group_limits());
  result.cpu_model = cpuinfo({"model name", "Processor", "cpu model"});
  if (result.cpu_model.empty()) result.cpu_model = "unknown";
  result.hypervisor = hypervisor();
  utsname system{};
  uname(&system);
  result.kernel = system.release;
  result.hostname = system.nodename;
  const std::string pages = text_if_readable("/sys/kernel/mm/transparent_hugepage/enabled");
  result.transparent_huge_pages =
      pages.find("[madvise]") != std::string::npos || pages.find("[always]") != std::string::npos;
}

Topology sysfs_topology() {
  Topology result;
  result.cpus = usable_cpus();
  describe_by_sysfs(result);
  describe_system(result);
  return result;
}

}  // namespace rooftune::os
