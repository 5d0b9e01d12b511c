// Sums counted figures, compares them, checks whether they can be true, and writes their JSON:
// every figure with its interval, every group with its source. The caller acts on flags; no figure
// is changed here.
#include "roofline/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/list.h"
#include "core/units.h"

namespace rooftune::roofline {
namespace {

/// A figure with its name for the reader.
struct Named {
  std::string name;
  Estimate figure;
  std::string source;
};

std::vector<Named> figures(const Counts& counts) {
  std::vector<Named> all;
  for (const auto& [precision, kinds] : counts.operations)
    for (const auto& [kind, figure] : kinds)
      all.push_back({precision + " " + kind, figure, counts.operations_source.text});
  const auto accesses = [&](const char* name, const std::optional<AccessCount>& count) {
    if (!count) return;
    all.push_back({name, count->instructions, counts.access_source.text});
    all.push_back({std::string("bytes of ") + name, count->bytes, counts.access_source.text});
  };
  accesses("loads", counts.loads);
  accesses("stores", counts.stores);
  for (const auto& [level, count] : counts.traffic) {
    all.push_back({level + " bytes read", count.read, count.source.text});
    all.push_back({level + " bytes written", count.write, count.source.text});
  }
  return all;
}

constexpr std::string_view in_vectors = " in vectors";

/// Hardware counters have 48 bits: a larger figure than this overflowed.
constexpr double largest_count = 9007199254740992.0;  // 2^53: doubles are exact up to here

std::string fault_of(const Estimate& figure) {
  for (const double value : {figure.value, figure.low, figure.high})
    if (!std::isfinite(value)) return "is no number";
  if (figure.value < 0 || figure.low < 0) return "is negative";
  if (figure.value > largest_count) return "is larger than any counter: it overflowed";
  if (figure.low > figure.value || figure.high < figure.value) return "lies outside its interval";
  return {};
}

/// The machine's fastest rate for a precision or a level, whatever it needs.
std::optional<double> roof(const Machine& machine, const std::string& precision,
                           const std::string& level) {
  std::optional<double> fastest;
  for (const Ceiling& ceiling : machine.ceilings) {
    const bool fits = level.empty()
                          ? ceiling.kind == Ceiling::Kind::in_core &&
                                (precision.empty() || ceiling.precision == precision)
                          : ceiling.kind == Ceiling::Kind::bandwidth && ceiling.level == level;
    if (fits && !ceiling.shown_only) fastest = std::max(fastest.value_or(0), ceiling.rate.high);
  }
  return fastest;
}

void check_roof(Texts& found, const std::string& name, const Estimate& amount,
                const std::string& unit, const std::optional<double>& roof,
                const Estimate& seconds) {
  if (!roof || !(seconds.high > 0) || !std::isfinite(amount.low)) return;
  const double rate = amount.low / seconds.high;
  if (rate <= *roof) return;
  found.push_back(fmt::format(
      "{} above the roof: {:.6g} {} in {} are {:.4g} G{}/s, the fastest ceiling is {:.4g}", name,
      amount.value, unit, to_text(Seconds(seconds.value)), rate / 1e9, unit, *roof / 1e9));
}

constexpr const char* source_member = "source";

}  // namespace

std::vector<CountedWall> counted_walls(const Counts& counts, const std::string& level,
                                       double least) {
  const LevelCount* const traffic = value_at(counts.traffic, level);
  if (!traffic) return {};
  const auto detail = [&](const char* suffix, double otherwise) {
    auto* found = value_at(counts.details, level + suffix);
    return found ? found->value : otherwise;
  };
  const double all = traffic->total().value;
  const double beyond = std::max(0.0, all - least);
  const double conflict = std::clamp(all - detail(scattered_suffix, all), 0.0, beyond);
  const double allocate = std::clamp(detail(allocated_suffix, 0), 0.0, beyond - conflict);
  return {{level, "compulsory", all - beyond},
          {level, "write allocate", allocate},
          {level, "capacity", beyond - conflict - allocate},
          {level, "conflict", conflict}};
}

double detail_of(const Counts& counts, const std::string& name) {
  auto* found = value_at(counts.details, name);
  return found ? found->value : 0;
}

std::optional<IntegerKind> integer_kind(const std::string& detail) {
  const size_t space = detail.find(' ');
  if (!detail.starts_with("int") || space == std::string::npos) return std::nullopt;
  const std::string precision = detail.substr(0, space);
  static const TextSet precisions{"int64", "int32", "int8"};
  if (!precisions.contains(precision)) return std::nullopt;
  const bool vector = detail.ends_with(in_vectors);
  const std::string mix = detail.substr(space + 1);
  return IntegerKind{precision, vector ? mix.substr(0, mix.size() - in_vectors.size()) : mix,
                     vector};
}

Estimate flops(const Counts& counts, const std::string& precision) {
  Estimate sum;
  auto* found = value_at(counts.operations, precision);
  if (!found) return sum;
  for (const auto& [kind, figure] : *found) sum += figure * (kind == Counts::fma ? 2 : 1);
  return sum;
}

std::optional<Estimate> flops(const Counts& counts) {
  if (counts.operations.empty()) return std::nullopt;
  Estimate sum;
  for (const auto& [precision, kinds] : counts.operations) sum += flops(counts, precision);
  return sum;
}

Counts combined(const CountsList& counts) {
  Counts result;
  for (const Counts& one : counts) {
    join(result.provider, one.provider, " and ");
    if (result.operations.empty()) {
      result.operations = one.operations;
      result.operations_source = one.operations_source;
    }
    if (!result.loads && !result.stores) {
      result.loads = one.loads;
      result.stores = one.stores;
      result.access_source = one.access_source;
    }
    result.traffic.insert(one.traffic.begin(), one.traffic.end());
    result.details.insert(one.details.begin(), one.details.end());
    append(result.notes, one.notes);
    append(result.flags, one.flags);
  }
  return result;
}

Texts disagreements(const Counts& one, const Counts& other, double tolerance) {
  Texts found;
  const auto compare = [&](const std::string& name, const Estimate& a, const Estimate& b) {
    const double slack = tolerance * std::max(std::abs(a.value), std::abs(b.value));
    if (a.low <= b.high + slack && b.low <= a.high + slack) return;
    found.push_back(fmt::format("{}: {:.6g} ({}) against {:.6g} ({})", name, a.value, one.provider,
                                b.value, other.provider));
  };
  const auto a_flops = flops(one), b_flops = flops(other);
  if (a_flops && b_flops) compare("flops", *a_flops, *b_flops);
  if (one.loads && other.loads)
    compare("loads", one.loads->instructions, other.loads->instructions);
  if (one.stores && other.stores)
    compare("stores", one.stores->instructions, other.stores->instructions);
  for (const auto& [level, count] : one.traffic) {
    auto* again = value_at(other.traffic, level);
    if (!again) continue;
    compare(level + " bytes read", count.read, again->read);
    compare(level + " bytes written", count.write, again->write);
  }
  return found;
}

bool is_empty(const Counts& counts) {
  const std::vector<Named> all = figures(counts);
  return none_of(all, [](const Named& named) { return named.figure.value != 0; });
}

Texts impossible_counts(const Counts& counts, const Machine& machine, const Estimate& seconds) {
  Texts found;
  for (const Named& named : figures(counts)) {
    if (const std::string fault = fault_of(named.figure); !fault.empty())
      found.push_back(
          fmt::format("{} {}: {:.6g} ({})", named.name, fault, named.figure.value, named.source));
  }
  if (is_empty(counts)) found.push_back(counts.provider + " counted nothing at all");
  if (!found.empty()) return found;
  for (const auto& [precision, kinds] : counts.operations)
    check_roof(found, precision, flops(counts, precision), "flop",
               roof(machine, precision == Counts::unknown_precision ? "" : precision, {}), seconds);
  for (const auto& [level, count] : counts.traffic) {
    Estimate bytes = count.read;
    bytes += count.write;
    check_roof(found, level, bytes, "B", roof(machine, {}, level), seconds);
  }
  return found;
}

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
void decode(const Place& place, Figure<Estimate>& on_paper) {
  if (!place->is_array()) {
    AnyNumber<double> any{on_paper.figure.value};
    decode(place, any);
    on_paper.figure = Estimate::exact(on_paper.figure.value);
    return;
  }
  if (place->size() != 3) return place.unexpected("a number or [value, low, high]");
  size_t index = 0;
  for (double* number : {&on_paper.figure.value, &on_paper.figure.low, &on_paper.figure.high}) {
    AnyNumber<double> any{*number};
    decode(place.element(index), any);
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
Json to_json(const Figures<const ByName<Estimate>>& figures) {
  Json json = Json::object();
  for (const auto& [name, figure] : figures.map) json[name] = to_json(Figure{figure});
  return json;
}
void decode(const Place& place, Figures<ByName<Estimate>>& into) {
  if (!place->is_object()) return place.unexpected(into.wanted);
  place.each([&](const std::string& name, const Place& figure) {
    Figure<Estimate> one{into.map[name]};
    decode(figure, one);
  });
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
void decode(const Place& place, OperationsOf<Counts>& all) {
  if (!place->is_object()) return place.unexpected("an object");
  place.each([&](const std::string& name, const Place& member) {
    if (name == source_member) {
      decode(member, all.counts.operations_source);
      return;
    }
    Figures<Counts::Operations> kinds{all.counts.operations[name]};
    decode(member, kinds);
  });
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
  ROOFTUNE_FIELD(provider)
      .sparse("operations", OperationsOf{self})
      .sparse("accesses", AccessesOf{self})
      .sparse("traffic", self.traffic)
      .sparse("details", Figures{self.details});
  ROOFTUNE_EACH(visit.defaulted, self, notes, flags);
  visit.open();
}

Json to_json(const Counts& counts) {
  FieldWriter writer;
  fields(counts, writer);
  return std::move(writer.json);
}

void decode(const Place& place, Counts& counts) { fields_detail::decode_fields(place, counts); }

}  // namespace rooftune::roofline
