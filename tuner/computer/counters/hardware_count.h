// Countable quantities of one microarchitecture: its events and the formulas over them, a file per
// microarchitecture under machines/events; a new one needs no code. And counting with hardware
// events: groups within the counters, one launch per group, sums with their uncertainty. Each
// launch must do the same work.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/expression.h"
#include "core/quantity.h"
#include "roofline/counts.h"

namespace rooftune::counters {

/// A processor by its maker's numbers of the design. x86 has vendor, family, model and stepping;
/// Arm has implementer and part. -1 or empty: unknown.
struct CpuIdentity {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  int family = -1, model = -1, stepping = -1;
  int implementer = -1, part = -1;
  /// "GenuineIntel family 6 model 143 stepping 8", "Arm implementer 0x41 part 0xd40".
  std::string text() const;
};
/// Of the first processor in the text of /proc/cpuinfo; a hypervisor may report any numbers there.
CpuIdentity cpu_identity(const std::string& cpuinfo);

/// One hardware event (or GPU metric). `name` is spelt as in libpfm or CUPTI; an event unknown to
/// the library has a `code`, and its origin in `source`.
struct CounterEvent {
  std::string id;                     ///< its name in formulas
  std::string name;                   ///< empty: known by its code alone
  std::optional<std::uint64_t> code;  ///< perf's config; absent for GPU metrics
  int slots = 1;                      ///< counters occupied
  std::string devices;                ///< pattern of perf's device names; empty: the core
  std::string pmu;                    ///< libpfm's name of the device's PMU
  std::string source;
  std::string when;  ///< counted only where this event was seen; otherwise it is 0
};

/// One number understood by Rooftune: flops.<precision>[.<kind>], loads, stores,
/// instructions[.<kind>], <level>.read|write|total [B], time [ns], cycles.
struct CounterQuantity {
  std::string name;
  Expression formula;  ///< over the ids of events
};

/// Processors of an event set. Absent parts fit any.
struct FittingCpus {
  std::string vendor;
  int family = -1;
  std::vector<std::pair<int, int>> models;  ///< inclusive ranges
  std::optional<std::pair<int, int>> steppings;
  int implementer = -1, part = -1;
};

struct EventSet {
  std::string name, title, source;
  std::vector<FittingCpus> cpus;
  std::vector<std::string> chips;  ///< of GPUs, as CUPTI names them
  std::vector<std::string> pmu;    ///< libpfm's names of the core PMU, best first
  int counters = 0;                ///< programmable ones of one hardware thread
  std::vector<int> passes;         ///< of a GPU: without the events with a `when`, and with
  std::vector<CounterEvent> events;
  std::vector<CounterQuantity> quantities;
  std::vector<std::string> traps;  ///< notes for a reader of the numbers
  const CounterEvent* event(const std::string& id) const;
};

/// Reads and checks one set ("rooftune-events-1"); throws Error with all its faults.
EventSet event_set_from_json(const Json& json, const std::string& where);
/// All sets of a directory, by file name. Throws Error when one is faulty.
std::vector<EventSet> read_event_sets(const std::filesystem::path& directory);
/// machines/events below home(). Throws Error when there is no such directory.
const std::vector<EventSet>& event_sets();
/// The matching set; nullptr: none.
const EventSet* event_set(const std::vector<EventSet>& sets, const CpuIdentity& cpu);
const EventSet* event_set_of_chip(const std::vector<EventSet>& sets, const std::string& chip);

/// An event ready for perf: `type` is perf's (4: raw event of the core).
struct EncodedEvent {
  std::string id;
  std::string description;  ///< for people: "L1D:REPLACEMENT, raw 0x151"
  std::uint32_t type = 4;
  std::uint64_t config = 0;
  int slots = 1;
  bool user_only = true;  ///< uncore devices cannot separate user from kernel
};

/// perf's reading of one open event. Times in ns; running < enabled: the event shared a counter.
struct RawReading {
  std::uint64_t value = 0, enabled = 0, running = 0;
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  /// Opens an event, disabled, and returns its handle. `thread` -1: everything on `cpu`; `cpu` -1:
  /// wherever the thread runs. `leader` -1 begins a group. Counts threads started later by the
  /// thread too. -1: the thread is gone. Throws Error with reason and cure.
  virtual int open(const EncodedEvent& event, int thread, int cpu, int leader) = 0;
  /// Starts and stops a whole group. Throws Error.
  virtual void start(int leader) = 0;
  virtual void stop(int leader) = 0;
  /// Throws Error when the kernel gives nothing (denied meanwhile, group in error).
  virtual RawReading read(int handle) = 0;
  virtual void close(int handle) = 0;
};
/// The kernel's.
std::unique_ptr<EventSource> kernel_events();

/// A perf device outside the cores (memory controller): perf's type number and where to open it.
struct PerfDevice {
  std::string name;
  std::uint32_t type = 0;
  std::vector<int> cpus;  ///< one per socket
};
/// Devices with a whole name matching the regular expression, by name.
std::vector<PerfDevice> perf_devices(
    const std::string& pattern,
    const std::filesystem::path& root = "/sys/bus/event_source/devices");

/// Meaning of perf_event_open's errno for `event`, and the cure. `paranoid`: perf_event_paranoid.
Error perf_refusal(int error, const std::string& event, bool whole_cpu, int paranoid);
/// The kernel's perf_event_paranoid; 2 where it cannot be read.
int perf_event_paranoid();

/// One event over all threads of a launch.
struct EventTotal {
  Estimate count;
  double share = 1;  ///< of its time on a counter; below 1 it was scaled up
};

/// Counts of one launch by a provider with an event set.
struct HardwareCounts {
  std::map<std::string, Estimate> quantities;  ///< by the names of CounterQuantity
  std::map<std::string, std::string> missing;  ///< quantity and why it is not known
  std::vector<std::string> notes;              ///< scaled, whole socket, ...
  std::vector<std::string> flags;              ///< impossible values
};

/// Raw counts: totals by event id, and the events without a usable number.
struct EventCounts {
  std::map<std::string, EventTotal> totals;
  std::map<std::string, std::string> refused;  ///< event id and why
  std::vector<std::string> impossible;         ///< impossible values, for the user to see
};

/// A core event of a processor's set, by its code.
EncodedEvent encoded(const CounterEvent& event);
/// Packs events, in order, into groups of at most `counters` slots.
std::vector<std::vector<EncodedEvent>> event_groups(const std::vector<EncodedEvent>& events,
                                                    int counters);

/// Counts group after group: start and stop bracket one launch, until there are no more groups.
class GroupCounter {
 public:
  /// `source` outlives this.
  explicit GroupCounter(EventSource& source) : source_(source) {}
  ~GroupCounter();
  GroupCounter(const GroupCounter&) = delete;
  GroupCounter& operator=(const GroupCounter&) = delete;

  /// Events of the threads named by `threads` at each start, and of their later children.
  void add_threads(const std::vector<EncodedEvent>& events, int counters,
                   std::function<std::vector<int>()> threads);
  /// Events of whole sockets, on these devices; with none, the events are refused.
  void add_devices(const std::vector<EncodedEvent>& events, const std::string& pattern,
                   const std::vector<PerfDevice>& devices);
  /// Everything in a processor's event set, on this machine.
  void add(const EventSet& set);

  bool more() const { return next_ < groups_.size(); }
  /// Opens and starts the next group with any permitted event. Throws Error when the kernel does
  /// not start it.
  void start();
  /// Stops and reads it. Throws Error when the kernel does not stop it.
  void stop();
  /// Refused events are named, the others are counted.
  const EventCounts& counts() const { return counts_; }

 private:
  void open(const std::vector<EncodedEvent>& events, int thread, int cpu);
  void read(const std::string& id, const std::vector<int>& handles);
  void close();

  EventSource& source_;
  EventCounts counts_;
  std::vector<std::function<void()>> groups_;
  std::size_t next_ = 0;
  std::map<std::string, std::vector<int>> handles_;  ///< of the open group, by event
  std::vector<int> leaders_;
};
/// Sums the readings of one event; throws Error when they are impossible (never ran, ran longer
/// than it was enabled, overflowed). Scaled counts have an interval from the count seen to its
/// mirror.
EventTotal event_total(const std::vector<RawReading>& readings);

/// The formulas of `set` over `counts`: a quantity with refused events, or without an amount
/// (negative, not finite), is missing with the reason.
HardwareCounts evaluated(const EventSet& set, const EventCounts& counts);

/// Quantities by name as Counts of one call. `source` names the counter ("perf events, Intel Xeon
/// Scalable, Ice Lake-SP"). Quantities without a place are kept as details and noted: loads and
/// stores without their bytes, a level with reads alone. Missing ones are noted with their reasons,
/// never guessed.
Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source);

}  // namespace rooftune::counters
