// Counting with hardware events: groups that fit the counters, a launch per group, sums with their
// uncertainty. Each launch must do the same work.
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

#include "core/callback.h"
#include "core/error.h"
#include "core/expression.h"
#include "core/list.h"
#include "core/quantity.h"
#include "core/unique.h"
#include "counters/event_set.h"
#include "counters/perf.h"
#include "roofline/counts.h"

namespace rooftune::counters {

/// An event's count over all threads in a launch.
struct EventTotal {
  Estimate count;
  double share = 1;  ///< share of its time on a counter; below 1 the count was scaled up
};

/// What a provider with an event set counted in a launch.
struct HardwareCounts {
  ByName<Estimate> quantities;  ///< by CounterQuantity's names
  NamedTexts missing;           ///< by quantity: why it is not known
  Texts notes;                  ///< scaled, whole socket, ...
  Texts flags;                  ///< impossible values
};

/// Raw counts: totals by event id, and the events without a usable number.
struct EventCounts {
  ByName<EventTotal> totals;
  NamedTexts refused;  ///< by event id: why
  Texts impossible;    ///< impossible values, for the user to see
};

/// A core event from a processor's set, by its code.
EncodedEvent encoded(const CounterEvent& event);
/// Packs events, in order, into groups of at most `counters` slots.
std::vector<EncodedEvents> event_groups(const EncodedEvents& events, int counters);

/// Counts group after group: start and stop bracket one launch, until there are no more groups.
class GroupCounter : Unique {
 public:
  /// `source` outlives this.
  explicit GroupCounter(EventSource& source) : source_(source) {}
  ~GroupCounter();

  /// Adds events on the threads that `threads` names at each start, and on their later children.
  void add_threads(const EncodedEvents& events, int counters, std::function<Integers()> threads);
  /// Adds events on whole sockets, counted on these devices; without devices the events are
  /// refused.
  void add_devices(const EncodedEvents& events, const std::string& pattern,
                   const PerfDevices& devices);
  /// Adds everything in a processor's event set, on this machine.
  void add(const EventSet& set);

  bool more() const { return next_ < groups_.size(); }
  /// Opens and starts the next group in which any event is permitted. Throws Error when the kernel
  /// does not start it.
  void start();
  /// Stops and reads the group. Throws Error when the kernel does not stop it.
  void stop();
  /// Refused events are named, the others are counted.
  const EventCounts& counts() const { return counts_; }

 private:
  void open(const EncodedEvents& events, int thread, int cpu);
  void read(const std::string& id, const Integers& handles);
  void close();

  EventSource& source_;
  EventCounts counts_;
  std::vector<Callback> groups_;
  size_t next_ = 0;
  ByName<Integers> handles_;  ///< the open group's, by event
  Integers leaders_;
};
/// Sums an event's readings; throws Error when they are impossible (never ran, ran longer than it
/// was enabled, overflowed). Scaled counts have an interval from the count seen to its mirror.
EventTotal event_total(const std::vector<RawReading>& readings);

/// Evaluates the formulas in `set` over `counts`. A quantity whose events were refused, or whose
/// amount is nonsense (negative, not finite), is missing with the reason.
HardwareCounts evaluated(const EventSet& set, const EventCounts& counts);

/// Turns quantities by name into Counts for one call. `source` names the counter ("perf events,
/// Intel Xeon Scalable, Ice Lake-SP"). Quantities without a place are kept as details and noted:
/// loads and stores without their bytes, a level with reads alone. Missing ones are noted with
/// their reasons, never guessed.
Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source);

}  // namespace rooftune::counters
