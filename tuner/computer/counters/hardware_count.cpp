// Opens groups, launches, reads and sums, and translates the quantities. A refused event never
// stops the others.
#include "counters/hardware_count.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <set>

#include "core/error.h"
#include "core/list.h"
#include "counters/event_set.h"
#include "counters/perf.h"
#include "os/process_tree.h"

namespace rooftune::counters {

namespace {

std::string message_with_hint(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + "; " + error.hint();
}

/// The value of `formula`, with the interval over which it moves as each event moves within its
/// own.
Estimate interval(const Expression& formula, const ByName<EventTotal>& totals) {
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
    if (!counts.totals.contains(name)) {
      all.missing[quantity.name] = "event " + name + " was not counted";
      return;
    }
  }
  try {
    const Estimate amount = interval(quantity.formula, counts.totals);
    if (std::isfinite(amount.value) && amount.value >= 0)
      all.quantities[quantity.name] = amount;
    else
      all.flags.push_back(all.missing[quantity.name] =
                              fmt::format("{}: the counters give nonsense: {} = {}", quantity.name,
                                          quantity.formula.text(), amount.value));
  } catch (const Error& error) {
    all.missing[quantity.name] = error.message();
  }
}

/// Translates an event set's word to the roofline's; other words stay.
std::string translated(const std::string& word) {
  static const NamedTexts others{{"any", "fp"},
                                 {"tensor", "other"},
                                 {"loads", "load instructions"},
                                 {"stores", "store instructions"}};
  return copy_at(others, word).value_or(word);
}

/// Takes "fp64.fma" as operations: a multiply-add is two FLOPs.
void take_flops(const std::string& name, const Estimate& amount, Counts& counts) {
  const auto point = name.find('.');
  auto& operations = counts.operations[translated(name.substr(0, point))];
  if (point == std::string::npos) {
    operations["flop"] = amount;
    return;
  }
  const std::string kind = name.substr(point + 1);
  operations[translated(kind)] = amount / (kind == Counts::fma ? 2 : 1);
}

void take_level(const std::string& level, const HardwareCounts& hardware, const Source& source,
                Counts& counts) {
  const auto find = [&](const char* direction) {
    return hardware.quantities.find(level + "." + direction);
  };
  const auto end = hardware.quantities.end();
  const auto read = find("read"), write = find("write"), total = find("total");
  if (read != end && write != end) {
    counts.traffic[level] = {read->second, write->second, source};
  } else if (total != end) {
    counts.traffic[level] = {total->second, Estimate::exact(0), source};
    counts.notes.push_back(level + ": reads and writes were counted together, all stand as reads");
  } else {
    for (const auto& [direction, at] : {std::pair{"read", read}, std::pair{"written", write}})
      if (at != end) {
        counts.details["bytes " + std::string(direction) + " at " + level] = at->second;
        counts.notes.push_back(level + ": only bytes " + direction +
                               " were counted, so that its traffic is not known");
      }
  }
}

}  // namespace

EncodedEvent encoded(const CounterEvent& event) {
  EncodedEvent result;
  result.id = event.id;
  result.slots = event.slots;
  result.config = event.code.value();
  result.description =
      fmt::format("{}raw {:#x}", event.name.empty() ? "" : event.name + ", ", result.config);
  return result;
}

std::vector<EncodedEvents> event_groups(const EncodedEvents& events, int counters) {
  std::vector<EncodedEvents> groups;
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
    // A count of 2^62 would take a century: the register ran below 0.
    if (reading.value >> 62) throw Error("the counter overflowed");
    if (reading.running == 0 && reading.value > 0)
      throw Error("the event counted without ever holding a counter");
    enabled += double(reading.enabled);
    running += double(reading.running);
    if (reading.running == 0) continue;
    const double count = double(reading.value);
    seen += count;
    scaled += count * double(reading.enabled) / double(reading.running);
  }
  if (enabled <= 0) throw Error("no thread ran while the event was enabled");
  if (running <= 0)
    throw Error("the event never got a counter", {},
                "others hold them: the NMI watchdog (sysctl kernel.nmi_watchdog=0) or a profiler");
  return {{scaled, seen, 2 * scaled - seen}, running / enabled};
}

GroupCounter::~GroupCounter() { close(); }

void GroupCounter::close() {
  for (const auto& [id, handles] : handles_)
    for (const int handle : handles) source_.close(handle);
  handles_.clear();
  leaders_.clear();
}

/// Opens a group of those events that are permitted for `thread` or on `cpu`.
void GroupCounter::open(const EncodedEvents& events, int thread, int cpu) {
  int leader = -1;
  for (const EncodedEvent& event : events) {
    if (counts_.refused.count(event.id) > 0) continue;
    try {
      const int handle = source_.open(event, thread, cpu, leader);
      if (handle < 0) return;
      handles_[event.id].push_back(handle);
      if (leader < 0) leaders_.push_back(leader = handle);
    } catch (const Error& error) {
      counts_.refused[event.id] = message_with_hint(error);
    }
  }
}

void GroupCounter::read(const std::string& id, const Integers& handles) {
  std::vector<RawReading> readings;
  try {
    for (const int handle : handles) readings.push_back(source_.read(handle));
  } catch (const Error& error) {
    counts_.refused[id] = message_with_hint(error);
    return;
  }
  try {
    counts_.totals[id] = event_total(readings);
  } catch (const Error& error) {
    counts_.refused[id] = message_with_hint(error);
    counts_.impossible.push_back(id + ": " + message_with_hint(error));
  }
}

void GroupCounter::add_threads(const EncodedEvents& events, int counters,
                               std::function<Integers()> threads) {
  for (const auto& group : event_groups(events, counters))
    groups_.push_back([this, group, threads] {
      for (const int thread : threads()) open(group, thread, -1);
    });
}

void GroupCounter::add_devices(const EncodedEvents& events, const std::string& pattern,
                               const PerfDevices& devices) {
  // Memory controllers and data fabrics have four counters each.
  constexpr int device_counters = 4;
  if (devices.empty()) {
    for (const EncodedEvent& event : events)
      counts_.refused[event.id] =
          "this machine shows perf no device " + pattern + " (usual in virtual machines)";
    return;
  }
  for (const auto& group : event_groups(events, device_counters))
    groups_.push_back([this, group, devices] {
      for (const PerfDevice& device : devices) {
        EncodedEvents here = group;
        for (EncodedEvent& event : here) {
          event.type = device.type;
          event.user_only = false;
          event.description = device.name + ", " + event.description;
        }
        for (const int cpu : device.cpus) open(here, -1, cpu);
      }
    });
}

void GroupCounter::add(const EventSet& set) {
  EncodedEvents core;
  ByName<EncodedEvents> uncore;
  for (const CounterEvent& event : set.events)
    (event.devices.empty() ? core : uncore[event.devices]).push_back(encoded(event));
  add_threads(core, set.counters, [] { return threads_of(getpid()); });
  for (const auto& [pattern, events] : uncore) add_devices(events, pattern, perf_devices(pattern));
}

void GroupCounter::start() {
  close();
  while (more() && leaders_.empty()) groups_[next_++]();
  for (const int leader : leaders_) source_.start(leader);
}

void GroupCounter::stop() {
  for (const int leader : leaders_) source_.stop(leader);
  for (const auto& [id, handles] : handles_)
    if (!counts_.refused.contains(id)) read(id, handles);
  close();
}

HardwareCounts evaluated(const EventSet& set, const EventCounts& counts) {
  HardwareCounts all;
  all.flags = counts.impossible;
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

Counts counts_of(const HardwareCounts& hardware, const std::string& provider,
                 const std::string& source) {
  constexpr std::string_view flops = "flops.";
  Counts counts;
  counts.provider = provider;
  const Source counted{Source::Kind::counted, source, {}};
  TextSet levels;
  for (const auto& [name, amount] : hardware.quantities) {
    const auto point = name.rfind('.');
    if (name.starts_with(flops))
      take_flops(name.substr(flops.size()), amount, counts);
    else if (point != std::string::npos && name.front() >= 'A' && name.front() <= 'Z')
      levels.insert(name.substr(0, point));
    else
      counts.details[translated(name)] = amount;
  }
  // Where the kinds are known, their sum adds nothing.
  for (auto& [precision, operations] : counts.operations)
    if (operations.size() > 1) operations.erase("flop");
  for (const std::string& level : levels) take_level(level, hardware, counted, counts);
  if (!counts.operations.empty()) counts.operations_source = counted;
  append(counts.notes, hardware.notes);
  for (const auto& [name, reason] : hardware.missing)
    counts.notes.push_back(name + " was not counted: " + reason);
  counts.flags = hardware.flags;
  return counts;
}

}  // namespace rooftune::counters
