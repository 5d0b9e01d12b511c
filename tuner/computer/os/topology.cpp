// The host as /proc and /sys describe it, within our affinity mask.
#include "os/topology.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "core/file.h"
#include "core/hash.h"
#include "core/list.h"
#include "core/number.h"
#include "core/split.h"
#include "core/text.h"

namespace rooftune::os {
namespace {

const std::string cpu_folder = "/sys/devices/system/cpu/cpu",
                  node_folder = "/sys/devices/system/node";

/// A file's only line; empty where the file is not there.
std::string line_of(const fs::path& file) { return std::string(trimmed(text_if_readable(file))); }

/// The first CPU of every core, then the second ones, and so on.
Cpus cores_first(const std::vector<Cpus>& cores) {
  Cpus order;
  for (size_t sibling = 0;; ++sibling) {
    const size_t before = order.size();
    for (const auto& core : cores)
      if (sibling < core.size()) order.push_back(core[sibling]);
    if (order.size() == before) return order;
  }
}

void describe_cores(Topology& result) {
  ByName<Cpus> siblings;
  Texts order;
  for (const int cpu : result.cpus) {
    const std::string list =
        line_of(fmt::format("{}{}/topology/thread_siblings_list", cpu_folder, cpu));
    const std::string core = list.empty() ? fmt::format("cpu {}", cpu) : list;
    if (siblings[core].empty()) order.push_back(core);
    siblings[core].push_back(cpu);
  }
  std::vector<Cpus> cores;
  for (const std::string& core : order) cores.push_back(siblings[core]);
  result.cores = int(cores.size());
  result.cpus = cores_first(cores);
}

constexpr const char* instructions = "Instruction";

/// Data caches by level; CPUs on the same list share an instance.
void describe_levels(Topology& result) {
  std::map<int, ReportedCache> levels;
  TextSet seen;
  for (const int cpu : usable_cpus())
    for (int index = 0;; ++index) {
      const std::string folder = fmt::format("{}{}/cache/index{}/", cpu_folder, cpu, index);
      const auto level = leading_number<int>(line_of(folder + "level"));
      if (!level) break;
      const auto kibibytes = leading_number<int>(line_of(folder + "size"));
      if (!kibibytes || *kibibytes <= 0 || line_of(folder + "type") == instructions) continue;
      if (!seen.insert(fmt::format("{} {}", *level, line_of(folder + "shared_cpu_list"))).second)
        continue;
      const int ways = leading_number<int>(line_of(folder + "ways_of_associativity")).value_or(0);
      ReportedCache& cache =
          levels
              .try_emplace(*level, ReportedCache{fmt::format("L{}", *level),
                                                 uint64_t(*kibibytes) * 1024, 0, ways})
              .first->second;
      ++cache.instances;
    }
  for (const auto& [level, cache] : levels) result.caches.push_back(cache);
}

void describe_nodes(Topology& result) {
  const std::set<int> usable(result.cpus.begin(), result.cpus.end());
  for (const int node : listed_cpus(line_of(node_folder + "/online"))) {
    Cpus cpus = listed_cpus(line_of(fmt::format("{}/node{}/cpulist", node_folder, node)));
    std::erase_if(cpus, [&](int cpu) { return !usable.contains(cpu); });
    if (!cpus.empty()) result.numa_nodes.push_back(std::move(cpus));
  }
}

constexpr const char* cpuinfo = "/proc/cpuinfo";

/// CPUs online, also those barred to this process.
size_t cpus_of_machine() { return std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)); }

void describe_system(Topology& result) {
  if (result.numa_nodes.empty()) result.numa_nodes.push_back(result.cpus);
  result.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  limit(result, group_limits());
  result.cpu_model = cpu_model(text_if_readable(cpuinfo));
  result.hypervisor = hypervisor();
  utsname system{};
  uname(&system);
  result.kernel = system.release;
  result.hostname = system.nodename;
  const std::string pages = text_if_readable("/sys/kernel/mm/transparent_hugepage/enabled");
  result.transparent_huge_pages = contains(pages, "[madvise]") || contains(pages, "[always]");
}

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
    if (uint64_t bytes = 0; std::ifstream(folder / file) >> bytes)
      lower(limits.memory_bytes, bytes);
}

/// The folder and all above it, up to `root`.
Paths upwards(const fs::path& root, const std::string& path) {
  Paths folders{root};
  for (const fs::path& part : fs::path(path).relative_path())
    folders.push_back(folders.back() / part);
  return folders;
}

}  // namespace

Cpus listed_cpus(const std::string& list) {
  constexpr int most = 1 << 16;
  Cpus cpus;
  for (const std::string& part : split(list, ',')) {
    const auto first = leading_number<int>(part);
    const size_t dash = part.find('-');
    const auto last =
        dash == std::string::npos ? first : leading_number<int>(part.substr(dash + 1));
    if (!first || !last) continue;
    for (int cpu = *first; cpu <= std::min(*last, most); ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

Integers fast_nodes(const fs::path& folder) {
  std::map<int, int> bandwidths;  // for nodes without CPUs
  int ordinary = 0;
  for (const int node : listed_cpus(line_of(folder / "online"))) {
    const auto place = folder / fmt::format("node{}", node);
    const int bandwidth =
        leading_number<int>(line_of(place / "access0/initiators/read_bandwidth")).value_or(0);
    if (listed_cpus(line_of(place / "cpulist")).empty())
      bandwidths[node] = bandwidth;
    else
      ordinary = std::max(ordinary, bandwidth);
  }
  Integers fast;
  for (const auto& [node, bandwidth] : bandwidths)
    if (ordinary > 0 && bandwidth > ordinary) fast.push_back(node);
  return fast;
}

Cpus usable_cpus() {
  // Machines with more than 1024 CPUs need a longer mask than cpu_set_t.
  Cpus cpus;
  constexpr int most = 1 << 16;
  const size_t bytes = CPU_ALLOC_SIZE(most);
  std::vector<cpu_set_t> mask(bytes / sizeof(cpu_set_t));
  if (sched_getaffinity(0, bytes, mask.data()) != 0) return {0};
  for (int cpu = 0; cpu < most; ++cpu)
    if (CPU_ISSET_S(size_t(cpu), bytes, mask.data())) cpus.push_back(cpu);
  return cpus;
}

bool bind_thread(const Cpus& cpus) {
  if (cpus.empty()) return false;
  const size_t most = *max_element(cpus) + 1;
  const size_t bytes = CPU_ALLOC_SIZE(most);
  std::vector<cpu_set_t> mask(bytes / sizeof(cpu_set_t) + 1);
  for (const int cpu : cpus) CPU_SET_S(size_t(cpu), bytes, mask.data());
  return sched_setaffinity(0, bytes, mask.data()) == 0;
}

void limit(Topology& topology, const GroupLimits& limits) {
  const size_t usable = topology.cpus.size();
  if (usable < cpus_of_machine())
    topology.limited_by.push_back(
        fmt::format("the affinity mask (taskset, a container, a batch system) leaves {} of {} CPUs",
                    usable, cpus_of_machine()));
  if (limits.cpus && *limits.cpus < double(usable)) {
    // More threads would be stopped in turn, in the middle of a timing.
    const auto whole = size_t(std::max(1.0, std::floor(*limits.cpus)));
    topology.limited_by.push_back(
        fmt::format("the quota of the control group is {:g} of {} CPUs", *limits.cpus, usable));
    topology.cpus.resize(whole);
    topology.cores = std::min(topology.cores, int(whole));
  }
  if (limits.memory_bytes && *limits.memory_bytes < topology.memory_bytes) {
    topology.memory_bytes = *limits.memory_bytes;
    topology.limited_by.push_back(fmt::format("the control group allows {:.3g} GiB of memory",
                                              double(topology.memory_bytes) / 0x1p30));
  }
}

std::string caches_text(const Topology& topology) {
  std::string text;
  for (const ReportedCache& cache : topology.caches)
    join(text, fmt::format("{} {} KiB x {}", cache.name, cache.bytes / 1024, cache.instances));
  return text;
}

Texts cpuinfo_values(const std::string& text, std::initializer_list<std::string_view> keys) {
  Texts values;
  for (const std::string& line : split(text))
    if (const auto colon = std::min(line.find(':'), line.size());
        colon < line.size() && std::ranges::count(keys, trimmed(line.substr(0, colon))) > 0)
      values.emplace_back(trimmed(line.substr(colon + 1)));
  return values;
}

std::string cpu_model(const std::string& text) {
  static const NamedTexts arm_names{{"0x41 0xd08", "Cortex-A72"},  {"0x41 0xd0c", "Neoverse N1"},
                                    {"0x41 0xd40", "Neoverse V1"}, {"0x41 0xd49", "Neoverse N2"},
                                    {"0x41 0xd4f", "Neoverse V2"}, {"0x46 0x001", "A64FX"}};
  const Texts arm = cpuinfo_values(text, {"CPU implementer", "CPU variant", "CPU part"});
  Texts designs;  // cores may differ in design
  for (size_t i = 0; i + 2 < arm.size(); i += 3) {
    const std::string design =
        fmt::format("{} (Arm implementer {}, part {}, variant {})",
                    copy_at(arm_names, arm[i] + " " + arm[i + 2]).value_or("a core"), arm[i],
                    arm[i + 2], arm[i + 1]);
    add_once(designs, design);
  }
  if (!designs.empty()) return joined(designs, " + ");
  // The last two stand on POWER and RISC-V.
  const Texts names = cpuinfo_values(text, {"model name", "Processor", "cpu model", "cpu", "isa"});
  return names.empty() || names.front().empty() ? "unknown" : names.front();
}

Topology topology() {
  Topology result;
  result.cpus = usable_cpus();
  describe_cores(result);
  describe_levels(result);
  describe_nodes(result);
  result.fast_nodes = fast_nodes(node_folder);
  describe_system(result);
  return result;
}

MachineIdentity machine_identity(const Topology& topology, const CpuFeatures& features) {
  MachineIdentity identity{
      {"hostname", topology.hostname},
      {"cpu", topology.cpu_model},
      {"kernel", topology.kernel},
      {"hypervisor", topology.hypervisor.empty() ? "none" : topology.hypervisor},
      // Firmware keeps a part, which differs from boot to boot, so only whole GiB identify.
      {"memory", fmt::format("{:.0f} GiB", std::ceil(double(topology.memory_bytes) / 0x1p30))},
      {"cores", std::to_string(topology.cores)},
      {"NUMA nodes", std::to_string(std::max<size_t>(1, topology.numa_nodes.size()))},
      {"caches", caches_text(topology)},
      {"cpus", std::to_string(topology.cpus.size())},
      {"features", joined(features.names, " ")}};
  if (const Texts microcode = cpuinfo_values(text_if_readable(cpuinfo), {"microcode"});
      !microcode.empty())
    identity["microcode"] = microcode.front();
  return identity;
}

std::string machine_id(const MachineIdentity& identity) {
  LabelledHash hash;
  static const TextSet not_hardware{"hostname", "kernel", "microcode", "driver"};
  for (const auto& [key, value] : identity)
    if (!not_hardware.contains(key)) hash.add(key, value);
  return hash.hex();
}

GroupLimits group_limits(const fs::path& groups, const fs::path& own) {
  GroupLimits limits;
  for (const std::string& line : split(text_if_readable(own))) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    for (const char* mount : {"", "cpu", "cpu,cpuacct", "memory", "unified"})
      for (const fs::path& folder : upwards(groups / mount, line.substr(second + 1))) {
        const auto has = [&](const char* name) {
          return controllers.empty() || contains(controllers, name);
        };
        if (has("cpu")) read_quota(folder, limits);
        if (has("memory")) read_memory(folder, limits);
      }
  }
  return limits;
}

}  // namespace rooftune::os
