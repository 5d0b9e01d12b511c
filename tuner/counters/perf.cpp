// Linux perf events: says whether this process may count core cycles, by trying to.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "counters/provider.h"

namespace rooftune {

Availability perf_availability() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (fd >= 0) {
    close(static_cast<int>(fd));
    return {true, "the processor's cycle counter can be opened", {}};
  }
  const int error = errno;
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
    return {false, "this machine exposes no hardware counters (usual in virtual machines)",
            "run on bare metal, or ask for a virtual PMU"};
  if (error == EACCES || error == EPERM) {
    int paranoid = 0;
    std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
    return {
        false,
        "perf events are not permitted (perf_event_paranoid = " + std::to_string(paranoid) + ")",
        "sysctl kernel.perf_event_paranoid=2, or give tune CAP_PERFMON"};
  }
  return {false, std::string("perf_event_open: ") + std::strerror(error), {}};
}

}  // namespace rooftune
