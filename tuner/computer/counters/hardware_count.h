// Counting with hardware events: groups within the counters, one launch per group, sums with their
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

/// One event over all threads of a launch.
struct EventTotal {
  Estimate count;
  double share = 1;  ///< part of its time on a counter; below 1 it was scaled up
};

/// Counts of one launch by a provider with an event set.
struct HardwareCounts {
  ByName<Estimate> quantities;  ///< by the names of CounterQuantity
  NamedTexts missing;           ///< quantity and why it is not known
  Texts notes;                  ///< scaled, whole socket, ...
  Texts flags;                  ///< impossible values
};

/// Raw counts: totals by event id, and the events without a usable number.
struct EventCounts {
  ByName<EventTotal> totals;
  NamedTexts refused;  ///< event id and why
  Texts impossible;    ///< impossible values, for the user to see
};

/// A core event of a processor's set, by its code.
EncodedEvent encoded(const CounterEvent& event);
/// Packs events, in order, into groups of at most `counters` slots.
std::vector<EncodedEvents> event_groups(const EncodedEvents& events, int counters);

/// Counts group after group: start and stop bracket one launch, until there are no more groups.
class GroupCounter : Unique {
 public:
  /// `source` outlives this.
  explicit GroupCounter(EventSource& source) : source_(source) {}
  ~GroupCounter();

  /// Events of the threads named by `threads` at each start, and of their later children.
  void add_threads(const EncodedEvents& events, int counters,
                   std::function<std::vector<int>()> threads);
  /// Events of whole sockets, on these devices; with none, the events are refused.
  void add_devices(const EncodedEvents& events, const std::string& pattern,
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
  void open(const EncodedEvents& events, int thread, int cpu);
  void read(const std::string& id, const std::vector<int>& handles);
  void close();

  EventSource& source_;
  EventCounts counts_;
  std::vector<Callback> groups_;
  size_t next_ = 0;
  ByName<std::vector<int>> handles_;  ///< the open group's, by event
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
