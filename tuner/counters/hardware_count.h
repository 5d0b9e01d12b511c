// Counting with hardware events: groups that fit the counters, one launch per group, honest sums.
// The caller's launch is called once per group and must do the same work each time.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/estimate.h"
#include "counters/event_set.h"
#include "counters/perf_source.h"

namespace rooftune {

/// One event over all threads of a launch.
struct EventTotal {
  Estimate count;
  double share = 1;  ///< of the time in which it held a counter; below 1 it was scaled up
};

/// What a provider with an event set counted in one launch.
struct HardwareCounts {
  std::map<std::string, Estimate> quantities;  ///< by the names of CounterQuantity
  std::map<std::string, std::string> missing;  ///< quantity and why it is not known
  std::vector<std::string> notes;              ///< scaled, whole socket, ...
};

/// What counting took: totals by event id, and the events that gave no usable number.
struct EventCounts {
  std::map<std::string, EventTotal> totals;
  std::map<std::string, std::string> refused;  ///< event id and why
};

/// Packs events, in order, into groups whose slots fit `counters`.
std::vector<std::vector<EncodedEvent>> event_groups(const std::vector<EncodedEvent>& events,
                                                    int counters);
/// Counts core events of the threads that `threads` names at the start of each group's launch, and
/// of the threads that those start. Refused events are named, the others are counted.
EventCounts count_threads(EventSource& source, const std::vector<EncodedEvent>& events,
                          int counters, const std::function<std::vector<int>()>& threads,
                          const std::function<void()>& launch);
/// Counts an event of whole sockets on the devices of its pattern.
EventCounts count_devices(EventSource& source, const std::vector<EncodedEvent>& events,
                          const std::vector<PerfDevice>& devices,
                          const std::function<void()>& launch);

/// Sums the readings of one event; throws Error when they are nonsense (never ran, ran longer than
/// it was enabled, overflowed). Scaled counts have an interval from what was seen to its mirror.
EventTotal event_total(const std::vector<RawReading>& readings);

/// The formulas of `set` over `counts`: a quantity whose events were refused, or whose formula
/// gives no amount (negative, not finite), is missing with the reason.
HardwareCounts evaluated(const EventSet& set, const EventCounts& counts);

/// Everything together: the processor's events of one launch. Throws Error only when nothing at all
/// could be counted.
HardwareCounts count_hardware(const EventSet& set, EventSource& source,
                              const std::function<void()>& launch);

}  // namespace rooftune
