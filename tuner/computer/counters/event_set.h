// What can be counted on a microarchitecture: its events and the formulas over them, a file per
// microarchitecture under machines/events. A new one needs no code.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/expression.h"
#include "core/json.h"
#include "core/list.h"

namespace rooftune::counters {

/// A processor by its maker's numbers for the design: on x86 vendor, family, model and stepping; on
/// Arm implementer and part. -1 or empty: unknown.
struct CpuIdentity {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  int family = -1, model = -1, stepping = -1;
  int implementer = -1, part = -1;
  /// "GenuineIntel family 6 model 143 stepping 8", "Arm implementer 0x41 part 0xd40".
  std::string text() const;
};
/// The first processor in /proc/cpuinfo's text; a hypervisor may report any numbers there.
CpuIdentity cpu_identity(const std::string& cpuinfo);

/// A hardware event (or GPU metric). `name` is spelt as in libpfm or CUPTI; an event unknown to the
/// library has a `code`, and its origin in `source`.
struct CounterEvent {
  std::string id;                ///< its name in formulas
  std::string name;              ///< empty: known by its code alone
  std::optional<uint64_t> code;  ///< perf's config; absent for GPU metrics
  int slots = 1;                 ///< how many counters it occupies
  std::string devices;           ///< pattern of perf's device names; empty: the core
  std::string pmu;               ///< libpfm's name of the device's PMU
  std::string source;
  std::string when;  ///< counted only where this event was seen; otherwise it is 0
};

/// A number that Rooftune understands: flops.<precision>[.<kind>], loads, stores,
/// instructions[.<kind>], <level>.read|write|total [B], time [ns], cycles.
struct CounterQuantity {
  std::string name;
  Expression formula;  ///< over events' ids
};

/// The processors that an event set fits. Absent parts fit any.
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
  Texts chips;       ///< GPUs, as CUPTI names them
  Texts pmu;         ///< libpfm's names of the core PMU, best first
  int counters = 0;  ///< programmable counters per hardware thread
  Integers passes;   ///< a GPU's: without the events that have a `when`, and with them
  std::vector<CounterEvent> events;
  std::vector<CounterQuantity> quantities;
  Texts traps;  ///< notes for a reader of the numbers
  const CounterEvent* event(const std::string& id) const;
};
using EventSets = std::vector<EventSet>;

/// Reads and checks one set ("rooftune-events-1"); throws Error with all its faults.
EventSet event_set_from_json(const Json& json, const std::string& where);
/// All sets in a directory, by file name. Throws Error when any is faulty.
EventSets read_event_sets(const fs::path& directory);
/// machines/events below home(). Throws Error when there is no such directory.
const EventSets& event_sets();
/// The matching set; nullptr: none.
const EventSet* event_set(const EventSets& sets, const CpuIdentity& cpu);
const EventSet* event_set_of_chip(const EventSets& sets, const std::string& chip);

}  // namespace rooftune::counters
