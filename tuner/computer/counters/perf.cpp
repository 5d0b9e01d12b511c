// perf_event_open and its files, and the provider on top of them. Every refusal names the event,
// the reason and the cure.
#include "counters/perf.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/list.h"
#include "core/number.h"
#include "core/pattern.h"
#include "counters/event_set.h"
#include "counters/hardware_count.h"
#include "counters/provider.h"
#include "os/topology.h"

namespace rooftune::counters {

namespace {

/// The kernel's perf_event_paranoid; 2 where it cannot be read.
int perf_event_paranoid() {
  int level = 2;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  return level;
}

class KernelEvents : public EventSource {
 public:
  int open(const EncodedEvent& event, int thread, int cpu, int leader) override {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = leader < 0;
    // The kernel does not read inherited groups at once: members are read one by one.
    attributes.inherit = thread >= 0;
    attributes.exclude_kernel = event.user_only;
    attributes.exclude_hv = event.user_only;
    const long handle =
        syscall(SYS_perf_event_open, &attributes, thread, cpu, leader, PERF_FLAG_FD_CLOEXEC);
    if (handle < 0 && errno == ESRCH) return -1;
    if (handle < 0) throw perf_refusal(errno, event.description, thread < 0, perf_event_paranoid());
    return int(handle);
  }

  void start(int leader) override {
    control(leader, PERF_EVENT_IOC_RESET, "reset");
    control(leader, PERF_EVENT_IOC_ENABLE, "enable");
  }
  void stop(int leader) override { control(leader, PERF_EVENT_IOC_DISABLE, "disable"); }

  RawReading read(int handle) override {
    uint64_t words[3] = {0, 0, 0};
    const ssize_t bytes = ::read(handle, words, sizeof words);
    if (bytes == ssize_t(sizeof words)) return {words[0], words[1], words[2]};
    throw Error(bytes < 0 ? std::string("the counter can no longer be read: ") + strerror(errno)
                          : "the counter was taken away while it counted",
                "perf events", "another profiler may hold the counters");
  }

  void close(int handle) override { ::close(handle); }

 private:
  static void control(int leader, unsigned long request, const char* verb) {
    if (ioctl(leader, request, PERF_IOC_FLAG_GROUP) != 0)
      throw Error(fmt::format("cannot {} the counters: {}", verb, strerror(errno)), "perf events");
  }
};

/// Opens one event for this thread and closes it again; throws perf's reason.
void open_once(const EncodedEvent& event) {
  const auto source = kernel_events();
  source->close(source->open(event, 0, -1, -1));
}

EncodedEvent core_cycles() {
  EncodedEvent cycles;
  cycles.id = cycles.description = "core cycles";
  cycles.type = 0;
  return cycles;
}

/// Counts calls inside its own worker.
class PerfCounter : public CallCounter {
 public:
  explicit PerfCounter(const EventSet& set)
      : set_(set), source_(kernel_events()), counter_(*source_) {
    counter_.add(set_);
  }
  Counts count(const Launch& launch) override {
    while (counter_.more()) {
      launch.settle();
      counter_.start();
      launch.call();
      counter_.stop();
    }
    Counts counts =
        counts_of(evaluated(set_, counter_.counts()), "perf", "perf events, " + set_.title);
    append(counts.notes, set_.traps);
    return counts;
  }

 private:
  const EventSet& set_;
  std::unique_ptr<EventSource> source_;
  GroupCounter counter_;
};

/// Throws Error when no event set fits.
const EventSet& set_of_this_processor() {
  const CpuIdentity cpu = cpu_identity(text_if_readable("/proc/cpuinfo"));
  if (const EventSet* set = event_set(event_sets(), cpu)) return *set;
  throw Unavailable("no event set knows " + cpu.text(), "perf events",
                    "add its events as a file in machines/events");
}

}  // namespace

std::unique_ptr<EventSource> kernel_events() { return std::make_unique<KernelEvents>(); }

PerfDevices perf_devices(const std::string& pattern, const fs::path& root) {
  const Pattern whole(pattern);
  PerfDevices devices;
  for (const fs::path& entry : entries_of(root)) {
    const std::string name = file_name(entry);
    if (!whole.matches(name)) continue;
    const auto cpus = listed_cpus(text_if_readable(entry / "cpumask"));
    const auto number = leading_number<uint32_t>(text_if_readable(entry / "type"));
    if (number && !cpus.empty()) devices.push_back({name, *number, cpus});
  }
  sort(devices, {}, &PerfDevice::name);
  return devices;
}

Error perf_refusal(int error, const std::string& event, bool whole_cpu, int paranoid) {
  const auto refusal = [&](const std::string& why, const std::string& cure) {
    return Error(event + ": " + why, "perf events", cure, ExitCode::unavailable);
  };
  const std::string level = fmt::format(" (perf_event_paranoid = {})", paranoid);
  switch (error) {
    case EACCES:
    case EPERM:
      if (whole_cpu)
        return refusal("counting a whole socket is not permitted" + level,
                       "sysctl kernel.perf_event_paranoid=0, or give tune CAP_PERFMON");
      if (paranoid > 2)
        return refusal("perf events are closed to users" + level,
                       "sysctl kernel.perf_event_paranoid=2, or give tune CAP_PERFMON");
      return refusal("perf events are not permitted" + level,
                     "a container may filter perf_event_open: allow it in its seccomp profile");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return refusal("this machine exposes no such hardware counter (usual in virtual machines)",
                     "run on bare metal, or ask for a virtual PMU");
    case EINVAL:
      return refusal("the kernel does not accept this event, or not so many at a time",
                     "compare the event set in machines/events with the processor");
    case EMFILE:
      return refusal("too many open files", "ulimit -n 4096, or fewer threads");
    case EBUSY:
      return refusal("another profiler holds the counters", "end it, and count again");
    case ENOSYS:
      return refusal("this kernel has no perf events", "a kernel with CONFIG_PERF_EVENTS");
    default:
      return refusal(strerror(error), {});
  }
}

Availability perf_availability() {
  try {
    open_once(core_cycles());
    const EventSet& set = set_of_this_processor();
    open_once(encoded(set.events.front()));
    return {true, "hardware counters with the event set of " + set.title, {}};
  } catch (const Error& error) {
    return {false, error.message(), error.hint()};
  }
}

std::unique_ptr<CallCounter> open_perf(const CountingPlan&) {
  return std::make_unique<PerfCounter>(set_of_this_processor());
}

}  // namespace rooftune::counters
