// Reads event sets from their files, checks the formulas against the events, and finds the set for
// a processor or a chip. An unreadable file ends the search with an Error: an incomplete set would
// count wrong.
#include "counters/event_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <type_traits>

#include "core/fields.h"
#include "core/list.h"
#include "core/number.h"
#include "core/pattern.h"
#include "core/text.h"
#include "counters/hardware_count.h"
#include "os/paths.h"
#include "os/topology.h"

namespace rooftune::counters {
namespace {

/// "143", "0x41"; nullopt for anything else.
std::optional<uint64_t> whole_number(std::string_view text) {
  return text.starts_with("0x") ? number_in<uint64_t>(text.substr(2), 16)
                                : number_in<uint64_t>(text);
}

bool within(const std::pair<int, int>& range, int value) {
  return range.first <= value && value <= range.second;
}

bool fits(const FittingCpus& cpus, const CpuIdentity& cpu) {
  if (cpus.implementer >= 0) return cpu.implementer == cpus.implementer && cpu.part == cpus.part;
  if (cpu.vendor != cpus.vendor || cpu.family != cpus.family) return false;
  if (cpus.steppings && !within(*cpus.steppings, cpu.stepping)) return false;
  return any_of(cpus.models, [&](const auto& range) { return within(range, cpu.model); });
}

/// True for the names listed at CounterQuantity.
bool is_quantity_name(const std::string& name) {
  static const Pattern pattern(
      R"((flops\.(fp64|fp32|fp16|bf16|tf32|fp8|int8|any)(\.(add|mul|div|fma|tensor))?)|loads|stores|)"
      R"(instructions(\.[a-z0-9_]+)?|[A-Z][A-Za-z0-9]*\.(read|write|total)|time|cycles)");
  return name.size() < 64 && pattern.matches(name);
}

bool is_regex(const std::string& pattern) {
  try {
    return Pattern(pattern), true;
  } catch (const PatternError&) {
    return false;
  }
}

bool is_range(const std::pair<int, int>& ends) {
  return 0 <= ends.first && ends.first <= ends.second && ends.second <= 0xffff;
}

/// Checks that every event is complete, fits into the counters, and has its own id.
void check_events(const EventSet& set, const Place& place) {
  const bool gpu = !set.chips.empty();
  TextSet ids;
  for (const size_t i : indices(set.events)) {
    const CounterEvent& event = set.events[i];
    const Place here = place.element(i);
    if (!ids.insert(event.id).second) here.fault("event " + event.id + " twice");
    if (gpu && event.name.empty()) here.member("event").fault("a metric of a GPU has a name");
    if (!gpu && !event.code) here.member("code").fault("an event of a processor has a code");
    if (!event.when.empty() && (event.when == event.id || !set.event(event.when)))
      here.fault(event.id + " waits for the unknown event " + excerpt(event.when));
    if (event.slots < 1 || (!gpu && event.slots > set.counters))
      here.fault("event " + event.id + " does not fit into the counters");
  }
}

/// Checks that formulas name existing events, and that every event is used.
void check_quantities(const EventSet& set, const Place& place) {
  TextSet quantities, used;
  for (const CounterQuantity& quantity : set.quantities) {
    if (!quantities.insert(quantity.name).second)
      place.fault("quantity " + quantity.name + " twice");
    for (const std::string& name : quantity.formula.names()) {
      used.insert(name);
      if (!set.event(name)) place.fault(quantity.name + " uses the unknown event " + excerpt(name));
    }
  }
  for (const CounterEvent& event : set.events)
    if (!used.contains(event.id)) place.fault("event " + excerpt(event.id) + " is never used");
  if (set.quantities.empty()) place.fault("at least one");
}

}  // namespace

template <class Number>
struct AsHexadecimal {
  static constexpr const char* wanted = "a hexadecimal number, as in 0x10c7";
  Number& value;
};
template <class Number>
void decode(const Place& place, AsHexadecimal<Number>& number) {
  const std::string text = place->is_string() ? place->get<std::string>() : std::string();
  const auto value = whole_number(text);
  // An Arm design's numbers have 16 bits.
  const bool fits = !std::is_same_v<Number, int> || (value && *value <= 0xffff);
  if (!value || !fits || !text.starts_with("0x")) return place.unexpected(number.wanted);
  number.value = Number(*value);
}

struct Formula {
  static constexpr const char* wanted = "a formula over the events";
  Expression& expression;
};
void decode(const Place& place, Formula& formula) {
  if (!place->is_string() && !place->is_number()) return place.unexpected(formula.wanted);
  try {
    formula.expression =
        Expression::parse(place->is_string() ? place->get<std::string>() : json_text(*place));
  } catch (const Error& error) {
    place.fault(error.message());
  }
}

void fields(FieldsOf<FittingCpus> auto& self, auto& visit) {
  visit.defaulted("implementer", AsHexadecimal<int>{self.implementer})
      .defaulted("part", AsHexadecimal<int>{self.part});
  ROOFTUNE_EACH(visit.defaulted, self, vendor, family, models, steppings);
  visit
      .check("part", self.implementer < 0 || self.part >= 0,
             "the part of an Arm design, as in 0xd40")
      .check("vendor", self.implementer >= 0 || (!self.vendor.empty() && self.family >= 0),
             "a vendor and a family, or implementer and part of an Arm design")
      .check("models", self.implementer >= 0 || !self.models.empty(),
             "a list of ranges [first, last]")
      .check("models", all_of(self.models, is_range), "each range is [first, last]")
      .check("steppings", !self.steppings || is_range(*self.steppings), "a range [first, last]");
}

void fields(FieldsOf<CounterEvent> auto& self, auto& visit) {
  ROOFTUNE_FIELD(id)
      .defaulted("event", self.name)
      .defaulted("code", AsHexadecimal<std::optional<uint64_t>>{self.code});
  ROOFTUNE_EACH(visit.defaulted, self, slots, devices, pmu, source, when);
  visit
      .check("devices", is_regex(self.devices),
             "\"" + excerpt(self.devices) + "\" is no regular expression")
      .check("source", !self.name.empty() || !self.source.empty(),
             "an event without a name says where its code comes from");
}

void fields(FieldsOf<CounterQuantity> auto& self, auto& visit) {
  ROOFTUNE_FIELD(name).check(
      "name", is_quantity_name(self.name), "\"" + excerpt(self.name) + "\" is no quantity",
      "flops.fp64, loads, stores, instructions, L2.read, DRAM.total, time, cycles")(
      "formula", Formula{self.formula});
}

void fields(FieldsOf<EventSet> auto& self, auto& visit) {
  visit.schema("rooftune-events-1", "not an event set");
  ROOFTUNE_EACH(visit, self, name, title, source);
  ROOFTUNE_EACH(visit.defaulted, self, cpus, chips, pmu, counters, passes);
  visit.check("passes", all_of(self.passes, [](int n) { return 0 < n && n < 1000; }),
              "numbers from 1 to 999");
  ROOFTUNE_EACH(visit.defaulted, self, events, quantities, traps);
}

EventSet event_set_from_json(const Json& json, const std::string& where) {
  Faults faults;
  const Place place(json, where, faults);
  EventSet set;
  decode(place, set);
  const bool gpu = !set.chips.empty();
  check_events(set, place.member("events"));
  check_quantities(set, place.member("quantities"));
  if (set.cpus.empty() == set.chips.empty())
    place.member("cpus").fault("either processors (cpus) or GPU chips (chips)");
  if (!gpu && (set.counters < 1 || set.counters > 64))
    place.member("counters").fault("1 to 64 counters of one hardware thread");
  if (gpu && set.passes.size() != 2)
    place.member("passes").fault("two numbers: without and with the events that have a \"when\"");
  if (!gpu && set.pmu.empty()) place.member("pmu").fault("libpfm's names, best first");
  faults.raise();
  return set;
}

const CounterEvent* EventSet::event(const std::string& id) const {
  return first_with(events, &CounterEvent::id, id);
}

EventSets read_event_sets(const fs::path& directory) {
  std::error_code error;
  Paths files;
  for (const auto& entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error)
    throw Error("cannot read the event sets: " + error.message(), directory,
                "set ROOFTUNE_HOME to a directory with machines/events");
  sort(files);
  return members(files, [](const fs::path& file) {
    return event_set_from_json(read_json(file), file.string());
  });
}

const EventSets& event_sets() {
  static const EventSets sets = read_event_sets(home() / "machines" / "events");
  return sets;
}

const EventSet* event_set(const EventSets& sets, const CpuIdentity& cpu) {
  for (const EventSet& set : sets)
    for (const FittingCpus& cpus : set.cpus)
      if (fits(cpus, cpu)) return &set;
  return nullptr;
}

const EventSet* event_set_of_chip(const EventSets& sets, const std::string& chip) {
  for (const EventSet& set : sets)
    if (contains(set.chips, chip)) return &set;
  return nullptr;
}

CpuIdentity cpu_identity(const std::string& cpuinfo) {
  const auto first = [&](const char* key) {
    const Texts values = cpuinfo_values(cpuinfo, {key});
    return values.empty() ? std::string() : values.front();
  };
  // An unreadable number stays absent: the processor has no event set, and a message says so.
  const auto number = [&](const char* key) {
    const auto read = whole_number(first(key));
    return read && *read <= 0xffff ? int(*read) : -1;
  };
  return {first("vendor_id"), number("cpu family"),      number("model"),
          number("stepping"), number("CPU implementer"), number("CPU part")};
}

std::string CpuIdentity::text() const {
  if (implementer >= 0) return fmt::format("Arm implementer {:#x} part {:#x}", implementer, part);
  if (vendor.empty()) return "an unnamed processor";
  return fmt::format("{} family {} model {} stepping {}", vendor, family, model, stepping);
}

}  // namespace rooftune::counters
