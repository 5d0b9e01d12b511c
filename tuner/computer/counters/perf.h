// Linux perf events: the kernel's interface to its counters.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "core/modules.h"
#include "counters/provider.h"

namespace rooftune::counters {

/// An event ready for perf: `type` is perf's (4: a raw core event).
struct EncodedEvent {
  std::string id;
  std::string description;  ///< for people: "L1D:REPLACEMENT, raw 0x151"
  uint32_t type = 4;
  uint64_t config = 0;
  int slots = 1;
  bool user_only = true;  ///< uncore devices cannot separate user from kernel
};
using EncodedEvents = std::vector<EncodedEvent>;

/// perf's reading of an open event. Times in ns; running < enabled: the event shared a counter.
struct RawReading {
  uint64_t value = 0, enabled = 0, running = 0;
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  /// Opens an event, disabled, and returns its handle. `thread` -1: everything on `cpu`; `cpu` -1:
  /// wherever the thread runs. `leader` -1 begins a group. Also counts threads that the thread
  /// starts later. Returns -1 when the thread is gone. Throws Error with reason and cure.
  virtual int open(const EncodedEvent& event, int thread, int cpu, int leader) = 0;
  /// Starts and stops a whole group. Throws Error.
  virtual void start(int leader) = 0;
  virtual void stop(int leader) = 0;
  /// Throws Error when the kernel gives nothing (denied meanwhile, group in error).
  virtual RawReading read(int handle) = 0;
  virtual void close(int handle) = 0;
};
/// The kernel's own events.
std::unique_ptr<EventSource> kernel_events();

/// A perf device outside the cores (memory controller): perf's type number and where to open it.
struct PerfDevice {
  std::string name;
  uint32_t type = 0;
  Integers cpus;  ///< one per socket
};
using PerfDevices = std::vector<PerfDevice>;
/// Devices whose whole name matches the regular expression, sorted by name.
PerfDevices perf_devices(const std::string& pattern,
                         const fs::path& root = "/sys/bus/event_source/devices");

/// What perf_event_open's errno means for `event`, and the cure. `paranoid`: perf_event_paranoid.
Error perf_refusal(int error, const std::string& event, bool whole_cpu, int paranoid);

/// Linux perf events as a provider: this process's core hardware counters.
Availability perf_availability();
std::unique_ptr<CallCounter> open_perf(const CountingPlan& plan);

}  // namespace rooftune::counters
