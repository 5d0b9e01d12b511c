// Reader of the knobs and constraints of a search-space file.
#include "space/space_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "space/allow_list.h"

namespace rooftune::space {
namespace {

std::string element(const std::string& where, std::size_t number) {
  return where + "/" + std::to_string(number);
}

bool is_formula(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().starts_with('=');
}

}  // namespace

Expression SpaceReader::expression(ObjectReader& object, const std::string& key) const {
  const std::string text = object.text(key, "");
  if (!object.has(key) || (text.empty() && !object.json()[key].is_string())) return {};
  try {
    return Expression::parse(text);
  } catch (const Error& error) {
    object.fault(key, error.message(), error.hint());
    return {};
  }
}

void SpaceReader::check_names(const std::string& where, const Expression& expression,
                              const std::vector<Knob>& knobs) const {
  std::vector<std::string> known;
  for (const Knob& knob : knobs) known.push_back(knob.name);
  for (const auto& [name, value] : facts_) known.push_back(name);
  for (const std::string& name : expression.names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    faults_.add(where, fmt::format("unknown name \"{}\"", name),
                did_you_mean(name, known, "known are the knobs, problem parameters and facts"));
  }
}

std::optional<Value> SpaceReader::computed(const std::string& where,
                                           const std::string& text) const {
  try {
    const Expression formula = Expression::parse(text);
    const std::size_t before = faults_.size();
    check_names(where, formula, {});
    if (faults_.size() > before) return std::nullopt;
    return formula.evaluate([&](const std::string& name) { return facts_.at(name); });
  } catch (const Error& error) {
    faults_.add(where, error.message(), error.hint());
    return std::nullopt;
  }
}

Knob SpaceReader::knob(ObjectReader& object) const {
  Knob knob;
  knob.name = object.text("name");
  if (const std::string fault = name_fault(knob.name); object.has("name") && !fault.empty())
    object.fault("name", fmt::format("\"{}\" is no name for a knob", knob.name), fault);
  knob.doc = object.text("doc", "");
  const std::string kind = object.text("kind");
  const std::vector<std::string>& kinds = knob_kinds();
  const auto found = std::find(kinds.begin(), kinds.end(), kind);
  const bool known = found != kinds.end();
  if (known)
    knob.kind = static_cast<Knob::Kind>(found - kinds.begin());
  else if (!kind.empty())
    object.fault("kind", fmt::format("unknown kind \"{}\"", kind), did_you_mean(kind, kinds));
  knob.breaks = object.get<std::vector<Paradigm>>("breaks");
  if (of_kernel_ && object.member("breaks").empty())
    object.fault("breaks", "names no ceiling or wall that this knob can break",
                 fmt::format("one or more of {}", fmt::join(words(Paradigm{}), ", ")));
  setting(object, knob);
  values(object, knob);
  fallback(object, knob);
  if (known)
    for (const ValueFault& fault : value_faults(knob))
      object.fault("values", fault.message, fault.hint);
  knob.active = expression(object, "active");
  object.text("promise", "");
  applicable(object, knob);
  object.finish();
  return knob;
}

void SpaceReader::setting(ObjectReader& object, Knob& knob) const {
  knob.setting = object.text("setting", "");
  const bool wanted = knob.kind == Knob::Kind::openmp || knob.kind == Knob::Kind::memory ||
                      knob.kind == Knob::Kind::environment;
  if (!wanted && !knob.setting.empty())
    object.fault("setting",
                 fmt::format("has no meaning for a knob of kind \"{}\"", to_text(knob.kind)));
  if (!wanted) return;
  if (knob.setting.empty()) {
    object.fault("setting",
                 fmt::format("is missing for a knob of kind \"{}\"", to_text(knob.kind)));
    return;
  }
  if (knob.kind == Knob::Kind::environment) {
    if (!allowed_variable(knob.setting))
      object.fault("setting",
                   fmt::format("environment variable \"{}\" is not allowed", knob.setting),
                   allowed_variables_hint);
    return;
  }
  const std::vector<std::string> known = settings_of(knob.kind);
  if (std::find(known.begin(), known.end(), knob.setting) == known.end())
    object.fault("setting", fmt::format("unknown setting \"{}\"", knob.setting),
                 did_you_mean(knob.setting, known));
}

void SpaceReader::values(ObjectReader& object, Knob& knob) const {
  const Json& json = object.member("values");
  const std::string where = object.where("values");
  std::set<Value> seen;
  if (!object.has("values")) object.fault("values", "is missing (a list)");
  flags(object, knob);
  if (is_formula(json)) {
    const auto list = computed(where, json.get<std::string>().substr(1));
    if (list && !list->is_list()) object.fault("values", "the expression gives no list");
    if (list && list->is_list() && list->list().empty()) object.fault("values", "is empty");
    if (list && list->is_list())
      for (const Value& value : list->list())
        if (seen.insert(value).second) knob.values.push_back(value);
  } else if (json.is_array()) {
    if (json.empty()) object.fault("values", "is empty");
    for (std::size_t i = 0; i < json.size(); ++i) add_value(element(where, i), json[i], knob, seen);
  } else if (object.has("values")) {
    object.fault("values", "expected a list or an expression \"=...\"");
  }
}

void SpaceReader::add_value(const std::string& where, const Json& json, Knob& knob,
                            std::set<Value>& seen) const {
  if (json.is_structured() || json.is_null()) {
    faults_.add(where, "expected a number, text or truth");
    return;
  }
  const bool formula = is_formula(json);
  const std::optional<Value> value =
      formula ? computed(where, json.get<std::string>().substr(1)) : value_from_json(json);
  if (!value) return;
  if (value->is_list()) {
    faults_.add(where, "the expression gives a list",
                "write \"values\": \"=...\" for a computed list");
    return;
  }
  if (seen.insert(*value).second) {
    knob.values.push_back(*value);
    return;
  }
  // Computed values may coincide on a small machine; a value written twice by hand is an error.
  if (!formula) faults_.add(where, fmt::format("value {} appears twice", excerpt(to_text(*value))));
  const std::size_t at = knob.values.size();
  if (at < knob.flags.size())
    knob.flags.erase(knob.flags.begin() + static_cast<std::ptrdiff_t>(at));
}

void SpaceReader::flags(ObjectReader& object, Knob& knob) const {
  const Json& json = object.member("flags");
  const std::string where = object.where("flags");
  if (knob.kind != Knob::Kind::flag) {
    if (object.has("flags")) object.fault("flags", "has no meaning but for kind \"flag\"");
    return;
  }
  const Json& values = object.member("values");
  if (!json.is_array() || !values.is_array() || json.size() != values.size()) {
    object.fault("flags", "expected one list of compiler flags for each value");
    return;
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    std::vector<std::string> of_value;
    if (!json[i].is_array()) faults_.add(element(where, i), "expected a list of compiler flags");
    for (std::size_t j = 0; json[i].is_array() && j < json[i].size(); ++j) {
      const Json& flag = json[i][j];
      const std::string place = element(element(where, i), j);
      if (!flag.is_string())
        faults_.add(place, "expected a text");
      else if (!allowed_flag(flag.get<std::string>()))
        faults_.add(place,
                    fmt::format("compiler flag \"{}\" is not allowed", flag.get<std::string>()),
                    allowed_flags_hint);
      else
        of_value.push_back(flag.get<std::string>());
    }
    knob.flags.push_back(std::move(of_value));
  }
}

void SpaceReader::fallback(ObjectReader& object, Knob& knob) const {
  const Json& json = object.member("default");
  if (!object.has("default")) {
    object.fault("default", "is missing (one of the values)");
    return;
  }
  if (json.is_structured() || json.is_null()) {
    object.fault("default", "expected a number, text or truth");
    return;
  }
  const std::optional<Value> value =
      is_formula(json) ? computed(object.where("default"), json.get<std::string>().substr(1))
                       : value_from_json(json);
  if (!value) return;
  knob.fallback = *value;
  const std::size_t at = knob.index_of(*value);
  if (at < knob.values.size())
    knob.fallback = knob.values[at];
  else if (!knob.values.empty())
    object.fault("default", fmt::format("{} is none of the values", excerpt(to_text(*value))),
                 "one of " + excerpt(to_text(Value(knob.values)), 200));
}

void SpaceReader::about(ObjectReader& object) {
  const std::string word = object.text("about", "result");
  if (word != "result" && word != "speed")
    object.fault("about", fmt::format("\"{}\" is nothing that a condition is about", word),
                 "\"speed\": the results are right all the same; \"result\": they are not");
}

void SpaceReader::applicable(ObjectReader& object, Knob& knob) const {
  object.object("applicable", [&](ObjectReader& rule) {
    const std::string condition = rule.text("if");
    const std::string reason = rule.text("reason");
    about(rule);
    rule.finish();
    if (condition.empty()) return;
    const std::optional<Value> holds = computed(rule.where("if"), condition);
    if (!holds || holds->truth()) return;
    const std::size_t at = knob.index_of(knob.fallback);
    if (at == knob.values.size()) return;
    knob.collapsed = reason.empty() ? condition : reason;
    for (const Value& value : knob.values)
      if (value != knob.fallback) knob.barred.push_back(value);
    knob.values = {knob.fallback};
    if (at < knob.flags.size()) knob.flags = {knob.flags[at]};
  });
}

Constraint SpaceReader::constraint(ObjectReader& object, const std::vector<Knob>& knobs) const {
  Constraint constraint;
  if (!object.has("expression")) object.fault("expression", "is missing (a text)");
  constraint.expression = expression(object, "expression");
  constraint.reason = object.text("reason", "");
  about(object);
  check_names(object.where("expression"), constraint.expression, knobs);
  object.finish();
  return constraint;
}

void SpaceReader::check_together(ObjectReader& space, const std::vector<Knob>& knobs) const {
  // A macro and an enumerator of another knob could have one name: KNOB_A_B.
  std::map<std::string, std::string> macros;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    const std::string where = element(space.where("knobs"), k);
    const Knob& knob = knobs[k];
    check_names(where + "/active", knob.active, knobs);
    for (std::size_t other = 0; other < k; ++other)
      if (!knob.name.empty() && knobs[other].name == knob.name)
        faults_.add(where + "/name", fmt::format("knob \"{}\" appears twice", knob.name));
    if (facts_.count(knob.name) != 0)
      faults_.add(where + "/name",
                  fmt::format("\"{}\" is the name of a problem parameter or fact", knob.name),
                  "rename the knob");
    if (knob.kind != Knob::Kind::compile) continue;
    const auto claim = [&](const std::string& macro, const std::string& owner) {
      const auto [found, fresh] = macros.emplace(macro, owner);
      if (!fresh && found->second != owner)
        faults_.add(where, fmt::format("{} and {} are one macro, {}", found->second, owner, macro));
    };
    claim(macro_name(knob.name), fmt::format("knob \"{}\"", knob.name));
    for (const Value& value : knob.values)
      if (value.is_text())
        claim(macro_name(knob.name + "_" + value.text()),
              fmt::format("value \"{}\" of knob \"{}\"", value.text(), knob.name));
  }
}

}  // namespace rooftune::space
