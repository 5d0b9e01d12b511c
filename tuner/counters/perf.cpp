// Linux perf events: says whether this process may count what its processor's event set names, by
// trying to.
#include "core/error.h"
#include "counters/event_set.h"
#include "counters/perf_source.h"
#include "counters/provider.h"

namespace rooftune {

namespace {

/// Opens one event for this thread and closes it again; throws what perf says.
void open_once(const EncodedEvent& event) {
  const auto source = kernel_events();
  source->close(source->open(event, 0, -1, -1));
}

EncodedEvent core_cycles() {
  EncodedEvent cycles;
  cycles.id = cycles.said = "core cycles";
  cycles.type = 0;
  return cycles;
}

}  // namespace

Availability perf_availability() {
  try {
    open_once(core_cycles());
    const CpuIdentity cpu = cpu_identity();
    const EventSet* set = event_set(event_sets(), cpu);
    if (!set)
      return {false, "the counters can be opened, but no event set knows " + cpu.text(),
              "add its events as a file in machines/events"};
    open_once(encoded(*set, set->events.front()));
    return {true, "hardware counters with the event set of " + set->title, {}};
  } catch (const Error& error) {
    return {false, error.message(), error.hint()};
  }
}

}  // namespace rooftune
