// Opens groups, launches, reads, sums.
// An event that is refused never stops the others.
#include "counters/hardware_count.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace rooftune {

namespace {

/// Closes what it opened, also when a launch throws.
class OpenGroup {
 public:
  explicit OpenGroup(EventSource& source) : source_(source) {}
  ~OpenGroup() {
    for (const auto& [id, handles] : handles_)
      for (const int handle : handles) source_.close(handle);
  }
  OpenGroup(const OpenGroup&) = delete;
  OpenGroup& operator=(const OpenGroup&) = delete;

  /// A group of the events that may be opened for `thread` or on `cpu`.
  void open(const std::vector<EncodedEvent>& events, int thread, int cpu, EventCounts& counts) {
    int leader = -1;
    for (const EncodedEvent& event : events) {
      if (counts.refused.count(event.id) > 0) continue;
      try {
        const int handle = source_.open(event, thread, cpu, leader);
        if (handle < 0) return;
        handles_[event.id].push_back(handle);
        if (leader < 0) leaders_.push_back(leader = handle);
      } catch (const Error& error) {
        counts.refused[event.id] = said(error);
      }
    }
  }
  void run(const std::function<void()>& launch) {
    for (const int leader : leaders_) source_.start(leader);
    launch();
    for (const int leader : leaders_) source_.stop(leader);
  }
  void read(EventCounts& counts) {
    for (const auto& [id, handles] : handles_) {
      if (counts.refused.count(id) > 0) continue;
      try {
        std::vector<RawReading> readings;
        for (const int handle : handles) readings.push_back(source_.read(handle));
        counts.totals[id] = event_total(readings);
      } catch (const Error& error) {
        counts.refused[id] = said(error);
      }
    }
  }
  bool empty() const { return leaders_.empty(); }

  static std::string said(const Error& error) {
    return error.hint().empty() ? error.message() : error.message() + "; " + error.hint();
  }

 private:
  EventSource& source_;
  std::map<std::string, std::vector<int>> handles_;
  std::vector<int> leaders_;
};

/// How far `formula` moves when each event moves within its interval.
Estimate interval(const Expression& formula, const std::map<std::string, EventTotal>& totals) {
  const auto value = [&](const std::string& moved, double to) {
    return formula
        .evaluate([&](const std::string& name) -> std::optional<Value> {
          return Value(name == moved ? to : totals.at(name).count.value);
        })
        .real();
  };
  const double middle = value({}, 0);
  double below = 0, above = 0;
  for (const std::string& name : formula.names()) {
    const Estimate& count = totals.at(name).count;
    const double low = value(name, count.low) - middle, high = value(name, count.high) - middle;
    below += std::min({low, high, 0.0});
    above += std::max({low, high, 0.0});
  }
  return {middle, middle + below, middle + above};
}

void add(HardwareCounts& all, const CounterQuantity& quantity, const EventCounts& counts) {
  for (const std::string& name : quantity.formula.names()) {
    const auto refused = counts.refused.find(name);
    if (refused != counts.refused.end()) {
      all.missing[quantity.name] = refused->second;
      return;
    }
    if (counts.totals.count(name) == 0) {
      all.missing[quantity.name] = "event " + name + " was not counted";
      return;
    }
  }
  try {
    const Estimate amount = interval(quantity.formula, counts.totals);
    if (std::isfinite(amount.value) && amount.value >= 0)
      all.quantities[quantity.name] = amount;
    else
      all.missing[quantity.name] =
          fmt::format("the counters give nonsense: {} = {}", quantity.formula.text(), amount.value);
  } catch (const Error& error) {
    all.missing[quantity.name] = error.message();
  }
}

}  // namespace

std::vector<std::vector<EncodedEvent>> event_groups(const std::vector<EncodedEvent>& events,
                                                    int counters) {
  std::vector<std::vector<EncodedEvent>> groups;
  int free = 0;
  for (const EncodedEvent& event : events) {
    if (groups.empty() || event.slots > free) {
      groups.emplace_back();
      free = counters;
    }
    groups.back().push_back(event);
    free -= event.slots;
  }
  return groups;
}

EventTotal event_total(const std::vector<RawReading>& readings) {
  double seen = 0, scaled = 0, enabled = 0, running = 0;
  for (const RawReading& reading : readings) {
    if (reading.running > reading.enabled)
      throw Error("the kernel says that the event ran longer than it was enabled");
    // A count of 2^62 needs a century: the register ran below 0.
    if (reading.value >> 62) throw Error("the counter overflowed");
    if (reading.running == 0 && reading.value > 0)
      throw Error("the event counted without ever holding a counter");
    enabled += static_cast<double>(reading.enabled);
    running += static_cast<double>(reading.running);
    if (reading.running == 0) continue;
    const double count = static_cast<double>(reading.value);
    seen += count;
    scaled += count * static_cast<double>(reading.enabled) / static_cast<double>(reading.running);
  }
  if (enabled <= 0) throw Error("no thread ran while the event was enabled");
  if (running <= 0)
    throw Error("the event never got a counter", {},
                "others hold them: the NMI watchdog (sysctl kernel.nmi_watchdog=0) or a profiler");
  return {{scaled, seen, 2 * scaled - seen}, running / enabled};
}

EventCounts count_threads(EventSource& source, const std::vector<EncodedEvent>& events,
                          int counters, const std::function<std::vector<int>()>& threads,
                          const std::function<void()>& launch) {
  EventCounts counts;
  for (const auto& group : event_groups(events, counters)) {
    OpenGroup open(source);
    for (const int thread : threads()) open.open(group, thread, -1, counts);
    if (open.empty()) continue;
    open.run(launch);
    open.read(counts);
  }
  return counts;
}

EventCounts count_devices(EventSource& source, const std::vector<EncodedEvent>& events,
                          const std::vector<PerfDevice>& devices,
                          const std::function<void()>& launch) {
  // Memory controllers and data fabrics have four counters each.
  constexpr int device_counters = 4;
  EventCounts counts;
  for (const auto& group : event_groups(events, device_counters)) {
    OpenGroup open(source);
    for (const PerfDevice& device : devices) {
      std::vector<EncodedEvent> here = group;
      for (EncodedEvent& event : here) {
        event.type = device.type;
        event.user_only = false;
        event.said = device.name + ", " + event.said;
      }
      for (const int cpu : device.cpus) open.open(here, -1, cpu, counts);
    }
    if (open.empty()) continue;
    open.run(launch);
    open.read(counts);
  }
  return counts;
}

HardwareCounts evaluated(const EventSet& set, const EventCounts& counts) {
  HardwareCounts all;
  for (const CounterQuantity& quantity : set.quantities) add(all, quantity, counts);
  for (const auto& [id, total] : counts.totals) {
    if (total.share < 1)
      all.notes.push_back(fmt::format("{} shared a counter: seen for {:.0f} % of the time, scaled",
                                      id, 100 * total.share));
    const CounterEvent* event = set.event(id);
    if (event && !event->devices.empty())
      all.notes.push_back(id + " counts whole sockets, other processes included");
  }
  return all;
}

HardwareCounts count_hardware(const EventSet& set, EventSource& source,
                              const std::function<void()>& launch) {
  std::vector<EncodedEvent> core;
  std::map<std::string, std::vector<EncodedEvent>> uncore;
  for (const CounterEvent& event : set.events)
    (event.devices.empty() ? core : uncore[event.devices]).push_back(encoded(set, event));
  EventCounts counts = count_threads(source, core, set.counters, threads_of_process, launch);
  for (const auto& [pattern, events] : uncore) {
    const std::vector<PerfDevice> devices = perf_devices(pattern);
    EventCounts more = count_devices(source, events, devices, launch);
    if (devices.empty())
      for (const EncodedEvent& event : events)
        more.refused[event.id] =
            "this machine shows no device " + pattern + " to perf (usual in virtual machines)";
    counts.totals.merge(more.totals);
    counts.refused.merge(more.refused);
  }
  HardwareCounts all = evaluated(set, counts);
  if (all.quantities.empty() && !counts.refused.empty())
    throw Error("nothing could be counted: " + counts.refused.begin()->second, set.title);
  return all;
}

}  // namespace rooftune
