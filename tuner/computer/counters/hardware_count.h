// Counting with hardware events: groups that fit the counters, one launch per group, honest sums.
// Each launch must do the same work.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/estimate.h"
#include "counters/event_set.h"
#include "counters/perf_source.h"

namespace rooftune::counters {

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
  std::vector<std::string> flags;              ///< what cannot be right
};

/// What counting took: totals by event id, and the events that gave no usable number.
struct EventCounts {
  std::map<std::string, EventTotal> totals;
  std::map<std::string, std::string> refused;  ///< event id and why
  std::vector<std::string> nonsense;           ///< what cannot be right, for the user to see
};

/// Packs events, in order, into groups whose slots fit `counters`.
std::vector<std::vector<EncodedEvent>> event_groups(const std::vector<EncodedEvent>& events,
                                                    int counters);

/// Counts group after group: start and stop bracket one launch, until there are no more groups.
class GroupCounter {
 public:
  /// `source` outlives this.
  explicit GroupCounter(EventSource& source);
  ~GroupCounter();
  GroupCounter(const GroupCounter&) = delete;
  GroupCounter& operator=(const GroupCounter&) = delete;

  /// Events of the threads that `threads` names at each start, and of those that they start later.
  void add_threads(const std::vector<EncodedEvent>& events, int counters,
                   std::function<std::vector<int>()> threads);
  /// Events of whole sockets, on these devices; with none, the events are refused.
  void add_devices(const std::vector<EncodedEvent>& events, const std::string& pattern,
                   const std::vector<PerfDevice>& devices);
  /// Everything that a processor's event set names, on this machine.
  void add(const EventSet& set);

  bool more() const { return next_ < groups_.size(); }
  /// Opens and starts the next group of which anything may be opened. Throws Error when the kernel
  /// does not start it.
  void start();
  /// Stops and reads it. Throws Error when the kernel does not stop it.
  void stop();
  /// Refused events are named, the others are counted.
  const EventCounts& counts() const { return counts_; }

 private:
  class OpenGroup;
  EventSource& source_;
  EventCounts counts_;
  std::vector<std::function<void(OpenGroup&)>> groups_;
  std::size_t next_ = 0;
  std::unique_ptr<OpenGroup> open_;
};
/// Launches once per group.
EventCounts count(GroupCounter& counter, const std::function<void()>& launch);

/// Sums the readings of one event; throws Error when they are nonsense (never ran, ran longer than
/// it was enabled, overflowed). Scaled counts have an interval from what was seen to its mirror.
EventTotal event_total(const std::vector<RawReading>& readings);

/// The formulas of `set` over `counts`: a quantity whose events were refused, or whose formula
/// gives no amount (negative, not finite), is missing with the reason.
HardwareCounts evaluated(const EventSet& set, const EventCounts& counts);

}  // namespace rooftune::counters
