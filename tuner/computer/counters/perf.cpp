// Linux perf events: a trial whether this process may count the events of its processor's set.
#include "core/error.h"
#include "core/file.h"
#include "counters/hardware_count.h"
#include "counters/provider.h"

namespace rooftune::counters {

namespace {

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

/// Counts the calls of its own worker.
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
    counts.notes.insert(counts.notes.end(), set_.traps.begin(), set_.traps.end());
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
  throw Error("no event set knows " + cpu.text(), "perf events",
              "add its events as a file in machines/events", ExitCode::unavailable);
}

}  // namespace

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
