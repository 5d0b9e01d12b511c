#include "store/event_json.h"

namespace rooftune::store {

/// A ceiling measured again: its name, its level or precision, and its rate.
struct Anchor {
  Ceiling value;
  static void check(Anchor& anchor, const Place& place) {
    Ceiling& ceiling = anchor.value;
    ceiling.kind = ceiling.level.empty() ? Ceiling::Kind::in_core : Ceiling::Kind::bandwidth;
    if (!(ceiling.rate.low > 0 && ceiling.rate.value > 0))
      place.member("rate").fault("must be above 0");
  }
  static void fields(auto& self, auto& visit) {
    visit("name", self.value.name).defaulted("level", self.value.level);
    visit.defaulted("precision", self.value.precision).defaulted("stable", self.value.stable);
    visit("rate", self.value.rate.value)("low", self.value.rate.low)("high", self.value.rate.high);
    visit.then(self, check).open();
  }
};

void fields(FieldsOf<AnchorReadings> auto& self, auto& visit) {
  visit.defaulted("start", list_as<Anchor>(self.start)).defaulted("end", list_as<Anchor>(self.end));
  visit.defaulted("between", list_as<Anchor>(self.between)).open();
}

namespace {

constexpr std::size_t kinds = std::variant_size_v<Event>;
/// In the order of Event.
constexpr std::array<const char*, kinds> names{
    "study",       "setup",       "proposed",       "started",
    "given up",    "trial",       "refuted",        "trial environment",
    "environment", "anchors",     "race",           "ablation",
    "counts",      "published race", "stopped",     "waited"};

template <std::size_t... I>
Event read_event(std::size_t kind, const Json& body, const std::string& where,
                 std::index_sequence<I...>) {
  using Read = Event (*)(const Json&, const std::string&);
  static constexpr Read readers[] = {[](const Json& json, const std::string& place) -> Event {
    return decoded<std::variant_alternative_t<I, Event>>(json, place);
  }...};
  return readers[kind](body, where);
}

}  // namespace

const char* event_name(const Event& event) { return names[event.index()]; }

Json body_json(const Event& event) {
  return std::visit([](const auto& one) { return encode(one); }, event);
}

Json record(const Event& event) {
  return Json{{"schema", record_schema}, {"event", event_name(event)}, {"body", body_json(event)}};
}

std::optional<Event> event_from_json(const std::string& name, const Json& body,
                                     const std::string& where) {
  const auto kind = index_of(names, name);
  if (!kind) return std::nullopt;
  return read_event(*kind, body, where, std::make_index_sequence<kinds>());
}

}  // namespace rooftune::store
