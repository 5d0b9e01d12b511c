// This host as the operating system sees it: permitted CPUs, caches, NUMA, memory, features.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/modules.h"
#include "os/cpu_features.h"

namespace rooftune::os {

struct GroupLimits {
  std::optional<double> cpus;            ///< CPU time per wall time (a quota)
  std::optional<uint64_t> memory_bytes;  ///< the lowest limit among all groups above this process
};

/// Reads both hierarchies, versions 1 and 2. `groups`: their mount point; `own`: a process's list
/// of groups, as in /proc/self/cgroup. Unreadable files limit nothing.
GroupLimits group_limits(const fs::path& groups = "/sys/fs/cgroup",
                         const fs::path& own = "/proc/self/cgroup");

struct ReportedCache {
  std::string name;  ///< "L1", "L2", "L3"
  uint64_t bytes;    ///< one instance's
  int instances;     ///< within the CPUs we may use
  int ways = 0;      ///< associativity; 0: unknown
};

using Cpus = Integers;
using ReportedCaches = std::vector<ReportedCache>;

struct Topology {
  Cpus cpus;      ///< usable by this process (affinity mask), one per core first
  int cores = 1;  ///< physical cores among them
  ReportedCaches caches;
  std::vector<Cpus> numa_nodes;  ///< usable CPUs by node of ordinary memory; nodes without any are
                                 ///< left out
  Integers fast_nodes;  ///< numbers of the NUMA nodes with high-bandwidth memory (HBM, MCDRAM)
  uint64_t memory_bytes = 0;
  std::string cpu_model, hypervisor, kernel, hostname;
  bool transparent_huge_pages = false;  ///< madvise or always
  Texts limited_by;                     ///< why less than the whole machine can be used, in words
};
/// Reads /proc, /sys and the control groups' limits. Without /sys every CPU counts as a core.
Topology topology();
/// The values in a cpuinfo text's lines "key : value" that have one of these keys, in their order.
Texts cpuinfo_values(const std::string& text, std::initializer_list<std::string_view> keys);
/// The processor's name from /proc/cpuinfo's text; for Arm designs, which the kernel does not name,
/// with implementer, part and variant; "unknown" where nothing tells.
std::string cpu_model(const std::string& cpuinfo);
/// "0-3,8,10-11", as the kernel writes lists; faulty parts are left out.
Cpus listed_cpus(const std::string& list);
/// The CPUs in the affinity mask, by number.
Cpus usable_cpus();
/// Binds the calling thread; false when the system refuses.
bool bind_thread(const Cpus& cpus);
/// NUMA nodes without CPUs whose memory is faster than on nodes with CPUs, by the firmware's table
/// (HMAT). `folder`: where /sys describes the nodes.
Integers fast_nodes(const fs::path& folder);

/// Takes away resources beyond the limits, with a note in limited_by.
void limit(Topology& topology, const GroupLimits& limits);
/// "L1 32 KiB x 2, L2 ...": as reported by the system.
std::string caches_text(const Topology& topology);

using MachineIdentity = NamedTexts;
MachineIdentity machine_identity(const Topology& topology, const CpuFeatures& features);
/// The hash over the parts that tell the hardware, Machine::id: a new name, or an update of system,
/// microcode or driver, leaves the machine the same.
std::string machine_id(const MachineIdentity& identity);

}  // namespace rooftune::os
