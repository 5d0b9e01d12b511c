// Counts as JSON: every figure with its interval, every group with its source.
// Figures that are no numbers travel as words, because a record must contain them too.
#include "roofline/counts.h"

namespace rooftune::roofline {
namespace {

constexpr const char* source_member = "source";

}  // namespace

/// [value, low, high], or the value alone where they are equal.
template <class Number>
struct Figure {
  static constexpr const char* wanted = "a figure";
  Number& figure;
};
Json to_json(const Figure<const Estimate>& on_paper) {
  const auto& [value, low, high] = on_paper.figure;
  if (on_paper.figure == Estimate::exact(value)) return to_json(AnyNumber{value});
  return Json::array(
      {to_json(AnyNumber{value}), to_json(AnyNumber{low}), to_json(AnyNumber{high})});
}
void decode(const Json& json, const Place& place, Figure<Estimate>& on_paper) {
  if (!json.is_array()) {
    AnyNumber<double> any{on_paper.figure.value};
    decode(json, place, any);
    on_paper.figure = Estimate::exact(on_paper.figure.value);
    return;
  }
  if (json.size() != 3) return place.unexpected("a number or [value, low, high]", json);
  std::size_t index = 0;
  for (double* number : {&on_paper.figure.value, &on_paper.figure.low, &on_paper.figure.high}) {
    AnyNumber<double> any{*number};
    decode(json[index], place.element(index), any);
    ++index;
  }
}

/// Figures by name.
template <class Map>
struct Figures {
  static constexpr const char* wanted = "an object of figures";
  Map& map;
  bool empty() const { return map.empty(); }
};
Json to_json(const Figures<const std::map<std::string, Estimate>>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures.map) json[name] = to_json(Figure{figure});
  return json;
}
void decode(const Json& json, const Place& place, Figures<std::map<std::string, Estimate>>& into) {
  if (!json.is_object()) return place.unexpected(into.wanted, json);
  for (const auto& [name, figure] : json.items()) {
    Figure<Estimate> one{into.map[name]};
    decode(figure, place.member(name), one);
  }
}

void fields(FieldsOf<AccessCount> auto& self, auto& visit) {
  visit("instructions", Figure{self.instructions})("bytes", Figure{self.bytes}).open();
}

void fields(FieldsOf<LevelCount> auto& self, auto& visit) {
  visit("read", Figure{self.read})("write", Figure{self.write})("source", self.source).open();
}

/// By precision, beside their source.
template <class Of>
struct OperationsOf {
  Of& counts;
  bool empty() const { return counts.operations.empty(); }
};
Json to_json(const OperationsOf<const Counts>& all) {
  Json json{{source_member, encode(all.counts.operations_source)}};
  for (const auto& [precision, kinds] : all.counts.operations)
    json[precision] = to_json(Figures{kinds});
  return json;
}
void decode(const Json& json, const Place& place, OperationsOf<Counts>& all) {
  if (!json.is_object()) return place.unexpected("an object", json);
  for (const auto& [name, member] : json.items()) {
    if (name == source_member) {
      decode(member, place.member(name), all.counts.operations_source);
      continue;
    }
    Figures<Counts::Operations> kinds{all.counts.operations[name]};
    decode(member, place.member(name), kinds);
  }
}

template <class Of>
struct AccessesOf {
  Of& counts;
  bool empty() const { return !counts.loads && !counts.stores; }
};
template <class Of>
void fields(const AccessesOf<Of>& self, auto& visit) {
  visit("source", self.counts.access_source).sparse("loads", self.counts.loads);
  visit.sparse("stores", self.counts.stores).open();
}

void fields(FieldsOf<Counts> auto& self, auto& visit) {
  visit("provider", self.provider).sparse("operations", OperationsOf{self});
  visit.sparse("accesses", AccessesOf{self}).sparse("traffic", self.traffic);
  visit.sparse("details", Figures{self.details}).defaulted("notes", self.notes);
  visit.defaulted("flags", self.flags).open();
}

Json to_json(const Counts& counts) {
  FieldWriter writer;
  fields(counts, writer);
  return std::move(writer.json);
}

void decode(const Json& json, const Place& place, Counts& counts) {
  fields_detail::decode_fields(json, place, counts);
}

}  // namespace rooftune::roofline
