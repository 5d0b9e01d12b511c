// The reading of an event set, with a check of its formulas against its events. Collects every
// fault of the file before it throws.
#include <charconv>
#include <regex>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "counters/event_set.h"

namespace rooftune::counters {

namespace {

/// "0x1c7": perf's config. nullopt: not such a number.
std::optional<std::uint64_t> hexadecimal(const std::string& text) {
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + 2, last, value, 16);
  if (error != std::errc{} || end != last) return std::nullopt;
  return value;
}

/// An integer within the range of a processor's numbers; `fallback` only for a missing one.
int bounded(ObjectReader& reader, const std::string& key, std::int64_t fallback) {
  const std::int64_t value = reader.integer(key, fallback);
  if (value >= fallback && value <= 0xffff) return static_cast<int>(value);
  reader.fault(key, std::to_string(value) + " is out of range");
  return 1;
}

int small_number(ObjectReader& reader, const std::string& key) {
  const std::string text = reader.text(key);
  const auto value = hexadecimal(text);
  if (value && *value <= 0xffff) return static_cast<int>(*value);
  reader.fault(key, "\"" + excerpt(text) + "\" is no number of an Arm design", "as in 0xd40");
  return -1;
}

std::optional<std::pair<int, int>> range(const Json& json) {
  if (!json.is_array() || json.size() != 2) return std::nullopt;
  for (const Json& end : json)
    if (!end.is_number_integer() || end < 0 || end > 0xffff) return std::nullopt;
  const std::pair<int, int> ends{json[0].get<int>(), json[1].get<int>()};
  if (ends.first > ends.second) return std::nullopt;
  return ends;
}

FittingCpus cpus_from(ObjectReader& reader) {
  FittingCpus cpus;
  if (reader.has("implementer")) {
    cpus.implementer = small_number(reader, "implementer");
    cpus.part = small_number(reader, "part");
    return cpus;
  }
  cpus.vendor = reader.text("vendor");
  cpus.family = bounded(reader, "family", 0);
  const Json& models = reader.member("models");
  if (!models.is_array() || models.empty())
    reader.fault("models", "a list of ranges [first, last]");
  if (models.is_array())
    for (const Json& model : models) {
      if (const auto ends = range(model))
        cpus.models.push_back(*ends);
      else
        reader.fault("models", "each range is [first, last]");
    }
  if (reader.has("steppings")) {
    cpus.steppings = range(reader.member("steppings"));
    if (!cpus.steppings) reader.fault("steppings", "a range [first, last]");
  }
  return cpus;
}

void check_devices(ObjectReader& reader, const std::string& pattern) {
  if (pattern.empty()) return;
  try {
    const std::regex compiled(pattern);
  } catch (const std::regex_error&) {
    reader.fault("devices", "\"" + excerpt(pattern) + "\" is no regular expression");
  }
}

CounterEvent event_from(ObjectReader& reader, bool gpu) {
  CounterEvent event;
  event.id = reader.text("id");
  event.name = reader.text("event", "");
  event.slots = bounded(reader, "slots", 1);
  event.devices = reader.text("devices", "");
  event.pmu = reader.text("pmu", "");
  event.source = reader.text("source", "");
  event.when = reader.text("when", "");
  check_devices(reader, event.devices);
  if (reader.has("code")) {
    event.code = hexadecimal(reader.text("code"));
    if (!event.code) reader.fault("code", "a hexadecimal number", "as in 0x10c7");
  }
  if (gpu && event.name.empty()) reader.fault("event", "a metric of a GPU has a name");
  if (!gpu && !event.code) reader.fault("code", "an event of a processor has a code");
  if (event.name.empty() && event.source.empty())
    reader.fault("source", "an event without a name says where its code comes from");
  return event;
}

CounterQuantity quantity_from(ObjectReader& reader) {
  CounterQuantity quantity;
  quantity.name = reader.text("name");
  if (!is_quantity_name(quantity.name))
    reader.fault("name", "\"" + excerpt(quantity.name) + "\" is no quantity",
                 "flops.fp64, loads, stores, instructions, L2.read, DRAM.total, time, cycles");
  try {
    quantity.formula = Expression::parse(reader.formula("formula", ""));
  } catch (const Error& error) {
    reader.fault("formula", error.message());
  }
  return quantity;
}

/// Formulas name existing events, every event is used, ids and names are unique.
void check(const EventSet& set, ObjectReader& reader) {
  std::set<std::string> ids, quantities, used;
  for (const CounterEvent& event : set.events) {
    if (!ids.insert(event.id).second) reader.fault("events", "event " + event.id + " twice");
    if (!event.when.empty() && (event.when == event.id || !set.event(event.when)))
      reader.fault("events", event.id + " waits for the unknown event " + excerpt(event.when));
    if (event.slots < 1 || (set.chips.empty() && event.slots > set.counters))
      reader.fault("events", "event " + event.id + " does not fit into the counters");
  }
  for (const CounterQuantity& quantity : set.quantities) {
    if (!quantities.insert(quantity.name).second)
      reader.fault("quantities", "quantity " + quantity.name + " twice");
    for (const std::string& name : quantity.formula.names()) {
      used.insert(name);
      if (ids.count(name) == 0)
        reader.fault("quantities", quantity.name + " uses the unknown event " + excerpt(name));
    }
  }
  for (const std::string& id : ids)
    if (used.count(id) == 0) reader.fault("events", "event " + excerpt(id) + " is never used");
  if (set.quantities.empty()) reader.fault("quantities", "at least one");
  if (set.cpus.empty() == set.chips.empty())
    reader.fault("cpus", "either processors (cpus) or GPU chips (chips)");
  if (set.chips.empty() && (set.counters < 1 || set.counters > 64))
    reader.fault("counters", "1 to 64 counters of one hardware thread");
  if (!set.chips.empty() && set.passes.size() != 2)
    reader.fault("passes", "two numbers: without and with the events that have a \"when\"");
  if (set.chips.empty() && set.pmu.empty()) reader.fault("pmu", "libpfm's names, best first");
}

}  // namespace

bool is_quantity_name(const std::string& name) {
  static const std::regex pattern(
      R"((flops\.(fp64|fp32|fp16|bf16|tf32|fp8|int8|any)(\.(add|mul|div|fma|tensor))?)|loads|stores|)"
      R"(instructions(\.[a-z0-9_]+)?|[A-Z][A-Za-z0-9]*\.(read|write|total)|time|cycles)");
  return name.size() < 64 && std::regex_match(name, pattern);
}

EventSet event_set_from_json(const Json& json, const std::string& where) {
  Faults faults;
  ObjectReader reader(json, where, faults);
  EventSet set;
  if (reader.text("schema") != "rooftune-events-1")
    reader.fault("schema", "not an event set", "\"rooftune-events-1\"");
  set.name = reader.text("name");
  set.title = reader.text("title");
  set.source = reader.text("source");
  set.chips = reader.texts("chips");
  set.pmu = reader.texts("pmu");
  set.counters = bounded(reader, "counters", 0);
  set.traps = reader.texts("traps");
  const Json& passes = reader.member("passes");
  if (passes.is_array())
    for (const Json& count : passes)
      if (count.is_number_integer() && count > 0 && count < 1000)
        set.passes.push_back(count.get<int>());
  const bool gpu = !set.chips.empty();
  reader.each("cpus", [&](ObjectReader& cpus) { set.cpus.push_back(cpus_from(cpus)); });
  reader.each("events", [&](ObjectReader& event) { set.events.push_back(event_from(event, gpu)); });
  reader.each("quantities",
              [&](ObjectReader& quantity) { set.quantities.push_back(quantity_from(quantity)); });
  check(set, reader);
  reader.finish();
  faults.raise();
  return set;
}

}  // namespace rooftune::counters
